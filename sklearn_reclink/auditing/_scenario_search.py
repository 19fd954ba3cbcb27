"""Searches for the weights of many sets of variables, within one time limit.

Small sets go first: their proofs take little, and the weights found start the search of larger
ones. A search that is cut short proves little, so each may take several times its share of the time
left, and a second at least; what it does not need goes to the next. Sets still open when all had
their turn are searched once more, small ones first, as long as each gets twice the time that it
had.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.auditing._attack import attack
from sklearn_reclink.auditing._attackers import Attacker, Setting, collected_warnings
from sklearn_reclink.auditing._running import Progress
from sklearn_reclink.auditing._variable_sets import Brackets, Finding, VariableSet
from sklearn_reclink.data.pool import Pool
from sklearn_reclink.linkers import WeightedMeanLinker

_LEAST_SECONDS = 1.0
_SHARES = 2.0  # that a search may take of the time left
_PER_WORKER = 2  # sets handed out at once

Given = dict[str | None, np.ndarray]


@dataclass(frozen=True, eq=False)
class Sought:
    """The people sought, and where.

    Attributes
    ----------
    X, Y : ndarray of shape (n_records, n_features)
        Their original and masked records.
    pool : ndarray of shape (n_masked, n_features) or None
        The whole masked file, the records of ``Y`` first; None if it is ``Y``.
    whole : ndarray of shape (n_original, n_features) or None
        The whole original file, if those sought are a sample of it.
    nominal : tuple of int or None
        Columns of categories; None where all are numbers and none is missing.
    views : tuple of str
        In which weights are learned.
    """

    X: np.ndarray
    Y: np.ndarray
    pool: np.ndarray | None
    whole: np.ndarray | None
    nominal: tuple[int, ...] | None
    views: tuple[str, ...]

    @property
    def everyone(self) -> np.ndarray:
        """The whole masked file."""
        return self.Y if self.pool is None else self.pool

    def part(self, variables: VariableSet) -> Sought:
        """The same with some variables only."""
        columns, nominal = list(variables), None
        if self.nominal is not None:
            nominal = tuple(place for place, k in enumerate(columns) if k in self.nominal)
        return replace(
            self,
            X=self.X[:, columns],
            Y=self.Y[:, columns],
            pool=None if self.pool is None else self.pool[:, columns],
            whole=None if self.whole is None else self.whole[:, columns],
            nominal=nominal,
        )


@dataclass(frozen=True, eq=False)
class SearchedSet:
    """What a search for the weights of one set of variables found and proved."""

    n_linked: int
    bound: int | None
    expected: float
    view: str | None
    weights: np.ndarray


def search_weights(
    files: Sought, seconds: float, given: Given, seed: int, n_jobs: int | None
) -> SearchedSet | None:
    """Search for the weights that single out the most people; None if the files are refused."""
    linker: Any = WeightedMeanLinker(
        standardize=files.views,
        categorical_features=None if files.nominal is None else list(files.nominal),
        time_limit=seconds,
        random_state=seed,
        n_jobs=n_jobs,
    )
    linker._given_weights = given
    pool = None if files.pool is None else Pool(files.pool)
    with collected_warnings():
        try:
            linker.fit(files.X, files.Y, pool=pool, reference=files.whole)
        except (ValueError, MemoryError):
            return None
        links = linker.link(files.X, files.Y, pool=pool)
    expected = links.expected_rate * len(files.X)
    return SearchedSet(
        links.n_linked, linker.bound_, expected, linker.standardize_, linker.weights_
    )


class SetSearch:
    """Closes the brackets of sets of variables, as far as time allows.

    Parameters
    ----------
    brackets : Brackets
        Filled in.
    files : Sought
    setting : Setting
        Seed and workers.
    progress : callable or None
        Called with what is being done, the number of sets decided and the number of all sets.
    """

    def __init__(
        self, brackets: Brackets, files: Sought, setting: Setting, progress: Progress | None
    ) -> None:
        self.brackets, self.files, self.setting = brackets, files, setting
        self.progress = progress
        self.workers = effective_n_jobs(setting.n_jobs)
        self.weights: dict[int, tuple[str | None, np.ndarray]] = {}
        self.had = np.zeros(len(brackets.sets))

    def report(self, what: str) -> None:
        """Report what is being done."""
        if self.progress is not None:
            total = len(self.brackets.sets)
            self.progress(what, total - len(self.brackets.open), total)

    def run(self, end: float) -> None:
        """Search every open set once, small ones first."""
        waiting = self.brackets.open
        while len(waiting) and time.monotonic() < end:
            seconds = self._share(waiting, end)
            some = waiting[: self.workers * _PER_WORKER if self.workers > 1 else 1]
            self.report(f"sets of {self.brackets.sizes[some[0]]} variables")
            self._search(some, seconds)
            left = waiting[len(some) :]
            waiting = left[np.isin(left, self.brackets.open)]

    def again(self, end: float) -> None:
        """Search open sets once more, small ones first, if they get twice the time."""
        while (left := end - time.monotonic()) > 0:
            some = self.brackets.open
            some = some[2 * self.had[some] <= left][: self.workers]
            if not len(some):
                return
            self.report("sets left open")
            self._search(some, float(min(max(2 * self.had[some].max(), _LEAST_SECONDS), left)))

    def try_others(self, attackers: Sequence[Attacker], numbers: Sequence[int], end: float) -> None:
        """Let other attackers try some sets, as long as there is time; quick ones come first."""
        tasks = [
            (one, number)
            for one in sorted(attackers, key=lambda one: one.time_weight)
            for number in numbers
        ]
        for place, (one, number) in enumerate(tasks):
            some = self.files.part(self.brackets.sets[number])
            here = replace(
                self.setting, n_features=len(self.brackets.sets[number]), nominal=some.nominal
            )
            left = end - time.monotonic()
            if left <= one.seconds_per_pair * len(some.everyone) ** 2:
                continue
            if one.skip_reason(here) is not None or some.whole is not None:
                continue
            self.report(one.title)
            seconds = left / (len(tasks) - place)
            try:
                found, _ = attack(one, some.X, some.Y, here, seconds, {}, some.pool)
            except (ValueError, MemoryError):  # few variables tell too little, many take too much
                continue
            expected = found.expected_rate * len(some.X)
            self.brackets.findings.append(Finding(number, one.title, found.n_found, expected))

    def _share(self, waiting: np.ndarray, end: float) -> float:
        """Seconds for each of the first sets that wait."""
        left = max(end - time.monotonic(), 0.0)
        return min(max(_SHARES * self.workers * left / len(waiting), _LEAST_SECONDS), left)

    def _given(self, number: int) -> Given:
        """Weights of the best part of a set, padded with zeros."""
        part = self.brackets.best_part(number)
        if self.files.nominal is not None or part not in self.weights:
            return {}
        view, weights = self.weights[part]
        of_variable = dict(zip(self.brackets.sets[part], weights, strict=True))
        return {view: np.array([of_variable.get(k, 0.0) for k in self.brackets.sets[number]])}

    def _search(self, numbers: np.ndarray, seconds: float) -> None:
        alone = len(numbers) == 1
        inner = self.setting.n_jobs if alone else 1
        tasks = (
            delayed(search_weights)(
                self.files.part(self.brackets.sets[number]),
                seconds,
                self._given(number),
                self.setting.seed,
                inner,
            )
            for number in numbers
        )
        found = Parallel(n_jobs=1 if alone else self.setting.n_jobs)(tasks)
        self.had[numbers] = seconds
        for number, one in zip(numbers.tolist(), found, strict=True):
            if one is None:
                continue
            if one.n_linked >= self.brackets.here[number]:
                self.weights[number] = one.view, one.weights
            self.brackets.searched_by_weights(number, one.n_linked, one.expected, one.bound)
