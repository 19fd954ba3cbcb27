"""The attackers of an audit, from cheap to strong, and up to which size of a file each can run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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
