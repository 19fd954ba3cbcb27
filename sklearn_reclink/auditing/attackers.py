"""The attackers of an audit, from cheap to strong, and what each finds in a masked file.

An attacker links every original record within the whole masked file. Those that search for their
distance cost much more than linking does, so beyond `MOST_SEARCHED` records they learn from a
random sample of that size; the links are then counted in the whole file all the same, and a bound
proven for the sample is not taken for one of the file. What stays true of the whole file is the
*ceiling* of the monotone distances (weighted mean, OWA, Choquet), which needs no learning.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

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

# Records that a search for a distance takes, in the whole file and where it is one of many.
MOST_SEARCHED = 300_000
MOST_LEARNT = 1000
# Records of which all pairs are compared: once or twice, and some thirty times.
MOST_PAIRED = 5_000
MOST_BALANCED = 2_000
# Variables of a capacity in which any number of them interact, and of any capacity.
MOST_FREE_VARIABLES = 8
MOST_CAPACITY_VARIABLES = 10


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
    """

    n_records: int
    n_features: int
    seed: int
    n_jobs: int | None

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
    words : str
        What it does, in a few plain words.
    build : callable
        The linker for a setting and a number of seconds.
    weight : float
        Share of the time that may be limited; 0 for one that is not.
    monotone : bool
        Whether the ceiling bounds it.
    samples : bool
        Whether it learns from a sample of a long file.
    """

    name: str
    title: str
    words: str
    build: Callable[[Setting, float], Any]
    weight: float = 0.0
    monotone: bool = False
    samples: bool = False
    refuses: Callable[[Setting], str | None] = lambda setting: None


def _options(setting: Setting, seconds: float) -> dict[str, Any]:
    return {"time_limit": seconds, "n_jobs": setting.n_jobs, "random_state": setting.seed}


def _choquet(setting: Setting, seconds: float) -> ChoquetLinker:
    k_additive = None if setting.n_features <= MOST_FREE_VARIABLES else 2
    return ChoquetLinker(k_additive=k_additive, **_options(setting, seconds))


def _density(setting: Setting, seconds: float) -> DensityLinker:
    rule = "balanced" if setting.n_records <= MOST_BALANCED else "density"
    if setting.n_records > MOST_PAIRED:
        rule = "nearest"  # the only one that can be asked about some records of many
    return DensityLinker(rule=rule, n_jobs=setting.n_jobs, random_state=setting.seed)


def _too_long(setting: Setting) -> str | None:
    if setting.n_records <= MOST_PAIRED:
        return None
    return (
        f"it compares all pairs of records, which takes too long for {setting.n_records:,} records"
    )


def _sampled_only(setting: Setting) -> str | None:
    too_long = _too_long(setting)
    return None if too_long is None else f"{too_long}; it looks for some of the people instead"


def _too_wide(setting: Setting) -> str | None:
    if setting.n_features <= MOST_CAPACITY_VARIABLES:
        return None
    return (
        f"it learns a value for every set of variables, 2^{setting.n_features} of them; choose at "
        f"most {MOST_CAPACITY_VARIABLES} columns to include it"
    )


ATTACKERS = {
    attacker.name: attacker
    for attacker in (
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
            refuses=_too_long,
        ),
        Attacker(
            "weighted_mean",
            "Weighted mean",
            "learns the weight of every variable",
            lambda setting, seconds: WeightedMeanLinker(**_options(setting, seconds)),
            weight=3.0,
            monotone=True,
            samples=True,
        ),
        Attacker(
            "choquet",
            "Choquet",
            "learns the weight of every combination of variables",
            _choquet,
            weight=3.0,
            monotone=True,
            samples=True,
            refuses=_too_wide,
        ),
        Attacker(
            "bilinear",
            "Bilinear",
            "learns how differences in two variables offset each other",
            lambda setting, seconds: BilinearLinker(**_options(setting, seconds)),
            weight=3.0,
            samples=True,
        ),
        Attacker(
            "hlms",
            "Choquet, heuristic",
            "learns the weight of every combination of variables, in small steps",
            lambda setting, seconds: HLMSChoquetLinker(**_options(setting, seconds)),
            weight=1.5,
            monotone=True,
            samples=True,
            refuses=_too_wide,
        ),
        Attacker(
            "density",
            "Error densities",
            "learns how masking errs, and uses that everybody has one masked record",
            _density,
            refuses=_sampled_only,
        ),
    )
}


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
    margin : ndarray of shape (n_records,) or None
        Margin to the runner-up, see `sklearn_reclink.inspection.relative_margin`; None for an
        attacker without distances.
    expected_rate : float
        Share found on average by who picks at random among tied masked records.
    bound : int or None
        No attacker of this kind finds more people than this, proven; None if nothing is proven.
    n_learnt : int
        Number of records that it learnt from.
    status : str
        What the linker says of its search; "fixed" where there was nothing to choose.
    seconds : float
        Time it took.
    """

    attacker: Attacker
    linker: Any
    reidentified: np.ndarray
    margin: np.ndarray | None
    expected_rate: float
    bound: int | None
    n_learnt: int
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
        """Whether it learnt from a part of the file."""
        return self.n_learnt < len(self.reidentified)


def attack(
    attacker: Attacker, X: np.ndarray, Y: np.ndarray, setting: Setting, seconds: float
) -> tuple[Attack, list[str]]:
    """Let an attacker link a file, and collect what it warned of."""
    from sklearn_reclink.inspection import relative_margin

    begin = time.perf_counter()
    rows = np.arange(setting.n_records)
    if attacker.samples:
        rows = setting.sample(rows, MOST_SEARCHED)
    with collected_warnings() as notes:
        linker = attacker.build(setting, seconds).fit(X[rows], Y[rows])
        links = linker.link(X, Y)
    margin = None
    if hasattr(links, "runner_up"):
        margin = relative_margin(links.own_distance, links.runner_up)
    status = getattr(linker, "status_", "heuristic")
    fixed = attacker.weight == 0 and hasattr(linker, "bound_")
    whole = len(rows) == len(X)
    found = Attack(
        attacker=attacker,
        linker=linker,
        reidentified=links.reidentified,
        margin=margin,
        expected_rate=float(links.expected_rate),
        bound=getattr(linker, "bound_", None) if whole and not fixed else None,
        n_learnt=len(rows),
        status="fixed" if fixed else status if whole else "sampled",
        seconds=time.perf_counter() - begin,
    )
    return found, notes


def chosen_attackers(names: Iterable[str] | None) -> list[Attacker]:
    """Attackers by name, from cheap to strong; all of them by default."""
    if names is None:
        return list(ATTACKERS.values())
    wanted = list(names)
    unknown = [name for name in wanted if name not in ATTACKERS]
    if unknown or not wanted:
        raise ValueError(
            f"attackers {unknown or wanted} are not known: choose from {', '.join(ATTACKERS)}"
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
