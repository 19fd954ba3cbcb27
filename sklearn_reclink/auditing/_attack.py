"""What an attacker finds, in the whole masked file and among people it has not seen.

*The whole file.* An attacker links every original record within the whole masked file. Searching
for a distance takes much longer than linking with it, so in a long or wide file the attackers that
search learn from a random sample. The links are counted in the whole file all the same, and a bound
proven for the sample is not reported as a bound for the file. The *ceiling* of the monotone
distances (weighted mean, OWA, Choquet) holds for the whole file and needs no learning.

*People not seen.* The people are split at random into two halves. The attacker learns from the
pairs of one half and looks for the people of the other half among *all* masked records, then the
other way round: every person is sought once, by an attacker who did not know the answer, in a pool
as large as the file. The rate is the share found of all people sought. With ``p`` that share of
``m`` people, its interval of 95 % is Wilson's score interval::

    (p + z^2 / 2m  -+  z sqrt(p (1 - p) / m + z^2 / 4m^2)) / (1 + z^2 / m),     z = 1.96

It treats the people as independent draws, and says nothing about another file or another masking.
Linking at random finds one person on average, a share of ``1 / n_records``.

*Ties.* A person is *found* if the own masked record is strictly the nearest: the strict rate. Where
``t`` records are equally near and the own is one of them, an intruder who picks one of them at
random is right with chance ``1 / t``; the mean of all chances is the *expected* rate. The *risk* is
the larger of the two.
"""

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attackers import Attacker, Setting, collected_warnings
from sklearn_reclink.data.pool import Pool
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.metrics import wilson_interval
from sklearn_reclink.model_selection import SoughtPart, held_out_search

_AMPLE_SECONDS = 3.0  # for searches that learn from as many records as they may
_FEWEST = 100  # records


@dataclass(frozen=True, eq=False)
class Outcome:
    """Whom an attacker finds.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    reidentified : ndarray of bool of shape (n_sought,)
        Who is found.
    chance : ndarray of shape (n_sought,)
        Chance of each to be found by an attacker who picks at random among tied masked records.
    seconds : float
        Time it took.
    """

    attacker: Attacker
    reidentified: np.ndarray
    chance: np.ndarray
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
    def expected_rate(self) -> float:
        """Share found on average by picking at random among tied masked records."""
        return float(np.mean(self.chance))

    @property
    def risk(self) -> float:
        """The larger of the strict and the expected rate."""
        return max(self.rate, self.expected_rate)


@dataclass(frozen=True, eq=False)
class Attack(Outcome):
    """Whom one attacker finds in the whole masked file.

    Attributes
    ----------
    linker : estimator
        The fitted linker.
    margin : ndarray of shape (n_records,)
        Margin to the runner-up, see `sklearn_reclink.inspection.relative_margin`.
    bound : int or None
        No attacker of this kind finds more people than this, however it standardises (of three
        ways), proven; None if nothing is proven.
    n_learned : int
        Number of records that it learned from.
    status : str
        How its search ended; "fixed" if there was nothing to choose, "sampled" if it learned from
        part of the file.
    """

    linker: Any
    margin: np.ndarray
    bound: int | None
    n_learned: int
    status: str

    @property
    def confidence_bound(self) -> int | None:
        """The same at a confidence of 99 %, from a sample of blocks; None if none was drawn."""
        found = getattr(self.linker, "confidence_bound_", None)
        return None if self.bound is None else found

    @property
    def view(self) -> str:
        """How it standardises; of several ways, the one by which it finds the most people."""
        return str(self.linker.standardize_ or "raw")


@dataclass(frozen=True, eq=False)
class HeldOut(Outcome):
    """Whom an attacker finds of the people it has not seen.

    Attributes
    ----------
    rows : ndarray of int of shape (n_sought,)
        The people sought.
    n_train : int
        Number of known pairs in each half, the smaller number if they differ.
    n_pool : int
        Number of masked records in which each person is sought.
    """

    rows: np.ndarray
    n_train: int
    n_pool: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 % for the rate."""
        return wilson_interval(self.n_found, len(self.rows))

    @property
    def expected_interval(self) -> tuple[float, float]:
        """The same for the expected rate."""
        return wilson_interval(float(self.chance.sum()), len(self.rows))


def attack(
    attacker: Attacker,
    X: np.ndarray,
    Y: np.ndarray,
    setting: Setting,
    seconds: float,
    given: Mapping[str | None, np.ndarray] | None = None,
    pool: np.ndarray | None = None,
) -> tuple[Attack, list[str]]:
    """Let an attacker link a file, and collect its warnings.

    ``given`` are weights learned from the same records, by view: a search ends no lower than them,
    if its family contains weighted means. ``pool`` is the whole masked file, if it is not ``Y``.
    """
    from sklearn_reclink.inspection import relative_margin

    begin = time.perf_counter()
    rows = np.arange(len(X))
    if attacker.time_weight > 0:
        rows = setting.learning_sample(rows, setting.limits.search)
    with collected_warnings() as notes:
        linker = attacker.build(setting, seconds)
        if setting.certify and hasattr(linker, "certify"):
            linker.set_params(certify=True)
        linker._given_weights = dict(given or {})
        everyone = None if pool is None else Pool(pool)
        linker.fit(X[rows], Y[rows], pool=everyone)
        links = linker.link(X, Y, pool=everyone)
    whole = len(rows) == len(X)
    found = Attack(
        attacker=attacker,
        reidentified=links.reidentified,
        chance=links.chance,
        linker=linker,
        margin=relative_margin(links.own_distance, links.runner_up),
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
    nominal = None if setting.nominal is None else ()
    if nominal is not None:
        Y[0, 0] = np.nan
    for one in attackers:
        if one.time_weight > 0:
            attack(one, X, Y, Setting(len(X), n_features, setting.seed, nominal=nominal), 0.2)


def held_out(
    attacker: Attacker,
    X: np.ndarray,
    Y: np.ndarray,
    setting: Setting,
    seconds: float,
    pool: np.ndarray | None = None,
) -> HeldOut:
    """Let an attacker learn from one half of the people and look for the other, both ways."""
    linker = attacker.build(setting, seconds / 2)
    link_all = attacker.skip_reason(setting) is None
    everyone = Y if pool is None else pool
    options: dict[str, Any] = {"link_all": link_all, "pool": None if pool is None else Pool(pool)}
    if attacker.knows_files:
        options["fit_params"] = {"pool": Pool(everyone), "reference": X}
    begin, n_train = time.perf_counter(), len(X)
    rows, found = list[np.ndarray](), list[SoughtPart]()
    most = setting.limits.repeated_search
    if attacker.time_weight > 0:  # a search of few seconds learns from few records
        most = min(most, max(_FEWEST, int(most * seconds / _AMPLE_SECONDS)))
    for salt, (known, sought) in enumerate(halves(len(X), setting.seed), start=1):
        known = setting.learning_sample(known, most, salt)
        if not link_all:
            sought = setting.sample(sought, setting.limits.sought // 2, salt)
        with collected_warnings():
            found += held_out_search(linker, X, Y, known, (sought,), **options)
        rows.append(sought)
        n_train = min(n_train, len(known))
    return HeldOut(
        attacker=attacker,
        reidentified=np.concatenate([part.reidentified for part in found]),
        chance=np.concatenate([part.chance for part in found]),
        rows=np.concatenate(rows),
        n_train=n_train,
        n_pool=len(everyone),
        seconds=time.perf_counter() - begin,
    )


def linking_one_by_one(linker: Any) -> Any:
    """A fitted linker whose rule links every record by itself, as not all rules do."""
    if linker.rule == "nearest":
        return linker
    linker = copy(linker)
    linker.rule = "nearest"
    return linker


def halves(n_records: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and rows to look for, twice."""
    order = np.random.default_rng([seed, 2]).permutation(n_records)
    first, second = np.sort(order[: n_records // 2]), np.sort(order[n_records // 2 :])
    return [(first, second), (second, first)]
