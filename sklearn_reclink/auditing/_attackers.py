"""The attackers of an audit, from cheap to strong, and what each finds in a masked file.

An attacker links every original record within the whole masked file. Searching for a distance takes
much longer than linking with it, so in a long file the attackers that search learn from a random
sample. The links are counted in the whole file all the same, and a bound proven for the sample is
not reported as a bound for the file. The *ceiling* of the monotone distances (weighted mean, OWA,
Choquet) holds for the whole file and needs no learning.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.linkers import (
    BilinearLinker,
    ChoquetLinker,
    DensityLinker,
    EuclideanLinker,
    HLMSChoquetLinker,
    MahalanobisLinker,
    ProbabilisticLinker,
    WeightedMeanLinker,
)


@dataclass(frozen=True)
class SizeLimits:
    """Up to which size of a file an attacker does what.

    Attributes
    ----------
    search : int
        Records that a search in the whole file learns from.
    repeated_search : int
        Records that each of many searches learns from.
    all_pairs : int
        Records of which all pairs are compared.
    balanced : int
        Records of which all pairs are compared some thirty times.
    sought : int
        Records that a slow attacker looks for in a file with too many pairs.
    capacity_variables : int
        Variables of a capacity.
    interacting_variables : int
        Variables of a capacity in which all of them may interact, not only pairs.

    Examples
    --------
    >>> from sklearn_reclink.auditing import SizeLimits
    >>> SizeLimits(search=10_000).all_pairs
    5000
    """

    search: int = 300_000
    repeated_search: int = 1_000
    all_pairs: int = 5_000
    balanced: int = 2_000
    sought: int = 500
    capacity_variables: int = 10
    interacting_variables: int = 8


@dataclass(frozen=True)
class Setting:
    """What all attackers of one audit share.

    Attributes
    ----------
    n_records, n_features : int
        Size of the files.
    seed : int
        Seed of every random choice.
    n_jobs : int or None
        Number of joblib workers.
    limits : SizeLimits
        Up to which size an attacker does what.
    """

    n_records: int
    n_features: int
    seed: int = 0
    n_jobs: int | None = None
    limits: SizeLimits = field(default_factory=SizeLimits)

    def sample(self, rows: np.ndarray, most: int, salt: int = 0) -> np.ndarray:
        """At most so many of some rows, in order; the same for the same salt."""
        if len(rows) <= most:
            return rows
        rng = np.random.default_rng([self.seed, salt])
        return np.sort(rng.choice(rows, size=most, replace=False))


@dataclass(frozen=True)
class Attacker:
    """One way to link records.

    Attributes
    ----------
    name : str
        What `audit` calls it.
    title : str
        What people read.
    description : str
        What it does, in a few plain words.
    build : callable
        The linker for a setting and a number of seconds.
    time_weight : float
        Its share of the time limit relative to that of others; 0 if it does not search.
    monotone : bool
        Whether the ceiling bounds it.
    skip_reason : callable
        Why it cannot link the whole file of a setting, None if it can.
    needs_files : bool
        Whether it learns from the whole files besides the known pairs.
    links_some : bool
        Whether it can look for some records of a file that is too long for it.
    """

    name: str
    title: str
    description: str
    build: Callable[[Setting, float], Any]
    time_weight: float = 0.0
    monotone: bool = False
    skip_reason: Callable[[Setting], str | None] = lambda setting: None
    needs_files: bool = False
    links_some: bool = False


def _searching(linker: type, **options: Any) -> Callable[[Setting, float], Any]:
    """How to build a linker that searches for its parameters."""

    def build(setting: Setting, seconds: float) -> Any:
        work = {"n_jobs": setting.n_jobs, "random_state": setting.seed}
        return linker(time_limit=seconds, **work, **options)

    return build


def _choquet(setting: Setting, seconds: float) -> ChoquetLinker:
    k_additive = None if setting.n_features <= setting.limits.interacting_variables else 2
    return _searching(ChoquetLinker, k_additive=k_additive)(setting, seconds)


def _density(setting: Setting, seconds: float) -> DensityLinker:
    rule = "balanced" if setting.n_records <= setting.limits.balanced else "density"
    if setting.n_records > setting.limits.all_pairs:
        rule = "nearest"  # the only rule that can link some records of a file by themselves
    return DensityLinker(rule=rule, n_jobs=setting.n_jobs, random_state=setting.seed)


def _too_long(setting: Setting) -> str | None:
    if setting.n_records <= setting.limits.all_pairs:
        return None
    return (
        f"it compares all pairs of records, which takes too long for {setting.n_records:,} records"
    )


def _too_wide(setting: Setting) -> str | None:
    most = setting.limits.capacity_variables
    if setting.n_features <= most:
        return None
    return (
        f"it learns a value for every set of variables, 2^{setting.n_features} of them; choose at "
        f"most {most} columns to include it"
    )


_ALL = (
    Attacker(
        "euclidean",
        "Euclidean",
        "all variables weigh the same",
        lambda setting, seconds: EuclideanLinker(n_jobs=setting.n_jobs),
        monotone=True,
    ),
    Attacker(
        "mahalanobis",
        "Mahalanobis",
        "variables that masking changed little weigh more",
        lambda setting, seconds: MahalanobisLinker(n_jobs=setting.n_jobs),
    ),
    Attacker(
        "probabilistic",
        "Probabilistic",
        "counts in which variables two records agree (Fellegi and Sunter)",
        lambda setting, seconds: ProbabilisticLinker(random_state=setting.seed),
        skip_reason=_too_long,
    ),
    Attacker(
        "weighted_mean",
        "Weighted mean",
        "learns the weight of every variable",
        _searching(WeightedMeanLinker),
        time_weight=3.0,
        monotone=True,
    ),
    Attacker(
        "choquet",
        "Choquet",
        "learns the weight of every combination of variables",
        _choquet,
        time_weight=3.0,
        monotone=True,
        skip_reason=_too_wide,
    ),
    Attacker(
        "bilinear",
        "Bilinear",
        "learns how differences in two variables offset each other",
        _searching(BilinearLinker),
        time_weight=3.0,
    ),
    Attacker(
        "hlms",
        "Choquet, heuristic",
        "learns the weight of every combination of variables, in small steps",
        _searching(HLMSChoquetLinker),
        time_weight=1.5,
        monotone=True,
        skip_reason=_too_wide,
    ),
    Attacker(
        "density",
        "Error densities",
        "learns the errors that masking makes, and that everybody has one masked record",
        _density,
        skip_reason=_too_long,
        needs_files=True,
        links_some=True,
    ),
)
ATTACKERS = {attacker.name: attacker for attacker in _ALL}


@dataclass(frozen=True, eq=False)
class Attack:
    """What one attacker finds in the whole masked file.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    linker : estimator
        The fitted linker.
    reidentified : ndarray of bool of shape (n_records,)
        Who is found.
    margin : ndarray of shape (n_records,)
        Margin to the runner-up, see `sklearn_reclink.inspection.relative_margin`.
    expected_rate : float
        Share found on average by an attacker who picks at random among tied masked records.
    bound : int or None
        No attacker of this kind finds more people than this, proven; None if nothing is proven.
    n_learned : int
        Number of records that it learned from.
    status : str
        How its search ended; "fixed" if there was nothing to choose, "sampled" if it learned from
        part of the file.
    seconds : float
        Time it took.
    """

    attacker: Attacker
    linker: Any
    reidentified: np.ndarray
    margin: np.ndarray
    expected_rate: float
    bound: int | None
    n_learned: int
    status: str
    seconds: float

    @property
    def n_found(self) -> int:
        """Number of people found."""
        return int(np.count_nonzero(self.reidentified))

    @property
    def rate(self) -> float:
        """Share of people found."""
        return self.n_found / len(self.reidentified)

    @property
    def sampled(self) -> bool:
        """Whether it learned from part of the file."""
        return self.n_learned < len(self.reidentified)


def attack(
    attacker: Attacker, X: np.ndarray, Y: np.ndarray, setting: Setting, seconds: float
) -> tuple[Attack, list[str]]:
    """Let an attacker link a file, and collect its warnings."""
    from sklearn_reclink.inspection import relative_margin

    begin = time.perf_counter()
    rows = np.arange(len(X))
    if attacker.time_weight > 0:
        rows = setting.sample(rows, setting.limits.search)
    with collected_warnings() as notes:
        linker = attacker.build(setting, seconds).fit(X[rows], Y[rows])
        links = linker.link(X, Y)
    whole = len(rows) == len(X)
    found = Attack(
        attacker=attacker,
        linker=linker,
        reidentified=links.reidentified,
        margin=relative_margin(links.own_distance, links.runner_up),
        expected_rate=float(links.expected_rate),
        bound=linker.bound_ if whole and linker.status_ != "fixed" else None,
        n_learned=len(rows),
        status=linker.status_ if whole else "sampled",
        seconds=time.perf_counter() - begin,
    )
    return found, notes


def compile_searches(attackers: Sequence[Attacker], setting: Setting) -> None:
    """Compile before the time limit starts, on a file unrelated to the one audited."""
    n_features = min(setting.n_features, 4)
    X = make_microdata(40, n_features, random_state=0)
    Y = X + np.random.default_rng(0).normal(scale=X.std(axis=0) / 5, size=X.shape)
    for one in attackers:
        if one.time_weight > 0:
            attack(one, X, Y, Setting(len(X), n_features, setting.seed), 0.2)


def chosen_attackers(names: Iterable[str] | None) -> list[Attacker]:
    """Attackers by name, from cheap to strong; all of them by default."""
    if names is None:
        return list(ATTACKERS.values())
    wanted = list(names)
    unknown = [name for name in wanted if name not in ATTACKERS]
    if unknown or not wanted:
        raise ValueError(
            f"attackers {unknown or wanted} are unknown: choose from {', '.join(ATTACKERS)}"
        )
    return [attacker for name, attacker in ATTACKERS.items() if name in wanted]


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Warnings as texts, without those about an unfinished proof, which the status tells."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    for warning in caught:
        text = str(warning.message)
        if issubclass(warning.category, UserWarning) and text not in notes:
            if not issubclass(warning.category, ConvergenceWarning):
                notes.append(text)
