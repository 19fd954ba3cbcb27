"""The attackers of an audit, from cheap to strong, and the largest file on which each can run."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import linkers

VIEWS = ("separate", "difference", "rank")  # in which attackers that search learn


@dataclass(frozen=True)
class SizeLimits:
    """The largest file on which each attacker runs, and how it runs.

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
    matrix_variables, pattern_variables, density_variables : int
        Variables of the bilinear, the probabilistic and the density attacker.
    weight_variables, covariance_variables : int
        Variables of the weighted mean and of the Mahalanobis attacker.
    loss_variables : int
        Variables of files that `compare` compares.
    wide : int
        Variables up to which a search can leave out most pairs of records. A file with more is
        wide: all pairs count there.
    wide_numbers : int
        Differences of values, over all pairs of records and all variables, that a search in a wide
        file holds; it learns from a sample of that many records.

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
    matrix_variables: int = 40
    pattern_variables: int = 62
    density_variables: int = 500
    weight_variables: int = 1_000
    covariance_variables: int = 500
    loss_variables: int = 2_000
    wide: int = 30
    wide_numbers: int = 25_000_000


@dataclass(frozen=True)
class Setting:
    """What all attackers of one audit share: size of the files, seed, workers, limits of sizes."""

    n_records: int
    n_features: int
    seed: int = 0
    n_jobs: int | None = None
    limits: SizeLimits = SizeLimits()
    certify: bool = False
    nominal: tuple[int, ...] | None = None  # columns; None if all are numbers and none is missing

    @property
    def kinds(self) -> dict[str, Any]:
        """What linkers are told about the variables."""
        return {} if self.nominal is None else {"categorical_features": list(self.nominal)}

    def learning_sample(self, rows: np.ndarray, most: int, salt: int = 0) -> np.ndarray:
        """At most so many of some rows to learn from, fewer if the file is wide."""
        if self.n_features > self.limits.wide:
            most = min(most, max(2, math.isqrt(self.limits.wide_numbers // self.n_features)))
        return self.sample(rows, most, salt)

    def sample(self, rows: np.ndarray, most: int, salt: int = 0) -> np.ndarray:
        """At most so many of some rows, in order; the same for the same salt."""
        if len(rows) <= most:
            return rows
        rng = np.random.default_rng([self.seed, salt])
        return np.sort(rng.choice(rows, size=most, replace=False))


def _choquet(setting: Setting) -> dict[str, Any]:
    free = setting.n_features <= setting.limits.interacting_variables
    return {"k_additive": None if free else 2}


def _density(setting: Setting) -> dict[str, Any]:
    if setting.n_records > setting.limits.all_pairs:
        return {"rule": "nearest"}  # the only rule that can link some records by themselves
    return {"rule": "balanced" if setting.n_records <= setting.limits.balanced else "density"}


@dataclass(frozen=True)
class Attacker:
    """One way to link records.

    Attributes
    ----------
    name : str
        What `audit` calls it.
    description : str
        What it does, in a few plain words.
    linker : type
        Its linker.
    time_weight : float
        Its share of the time limit relative to that of others; 0 if it does not search.
    monotone : bool
        Whether the ceiling bounds it.
    options : callable
        Options of the linker for a setting.
    limit : str
        Which of the `SizeLimits` bounds the number of variables; empty if none does.
    cost : str
        What it does with ``{n}`` variables, in words; ``{pairs}`` is ``n (n + 1) / 2``.
    seconds_per_pair : float
        About how long it takes for each pair of records, if it cannot be told to end in time. It
        then takes a file of at most `SizeLimits.all_pairs` records.
    knows_files : bool
        Whether it learns from the whole files besides the known pairs. It can then look for some
        records of a file that is too long for it.
    """

    name: str
    description: str
    linker: type
    time_weight: float = 0.0
    monotone: bool = False
    options: Callable[[Setting], dict[str, Any]] = lambda setting: {}
    limit: str = ""
    cost: str = ""
    seconds_per_pair: float = 0.0
    knows_files: bool = False

    @property
    def title(self) -> str:
        """What people read."""
        return TITLES.get(self.name, self.name.replace("_", " ").capitalize())

    def skip_reason(self, setting: Setting) -> str | None:
        """Why it cannot link the whole file of a setting, None if it can."""
        if self._is_too_wide(setting):
            n, most = setting.n_features, getattr(setting.limits, self.limit)
            cost = self.cost.format(n=n, pairs=n * (n + 1) // 2)
            return f"it {cost}; choose at most {most:,} columns to include it"
        if self.seconds_per_pair > 0 and setting.n_records > setting.limits.all_pairs:
            return f"with {setting.n_records:,} records it takes too long"
        return None

    def seeks_some(self, setting: Setting) -> bool:
        """Whether it can look for some people of a file that is too long for it."""
        return self.knows_files and not self._is_too_wide(setting)

    def _is_too_wide(self, setting: Setting) -> bool:
        return bool(self.limit) and setting.n_features > getattr(setting.limits, self.limit)

    def build(self, setting: Setting, seconds: float) -> Any:
        """The linker for a setting and a number of seconds."""
        search: dict[str, Any] = {}
        if self.time_weight > 0:
            search = {"time_limit": seconds, "standardize": VIEWS}
        work = {"n_jobs": setting.n_jobs, "random_state": setting.seed, **setting.kinds}
        return self.linker(**work, **search, **self.options(setting))


TITLES = {"hlms": "Heuristic Choquet", "density": "Error densities"}  # where names say too little

_ALL = (
    Attacker("euclidean", "all variables weigh the same", linkers.EuclideanLinker, monotone=True),
    Attacker(
        "mahalanobis",
        "variables that masking changed little weigh more",
        linkers.MahalanobisLinker,
        limit="covariance_variables",
        cost="inverts a matrix of {n:,} by {n:,} numbers",
    ),
    Attacker(
        "probabilistic",
        "counts in which variables two records agree (Fellegi and Sunter)",
        linkers.ProbabilisticLinker,
        limit="pattern_variables",
        cost="counts patterns of agreement, 2^{n} of them",
        seconds_per_pair=1.5e-6,
    ),
    Attacker(
        "weighted_mean",
        "learns the weight of every variable",
        linkers.WeightedMeanLinker,
        time_weight=3.0,
        monotone=True,
        limit="weight_variables",
        cost="learns {n:,} weights at once",
    ),
    Attacker(
        "choquet",
        "learns the weight of every combination of variables",
        linkers.ChoquetLinker,
        time_weight=3.0,
        monotone=True,
        options=_choquet,
        limit="capacity_variables",
        cost="learns a value for every set of variables, 2^{n} of them",
    ),
    Attacker(
        "bilinear",
        "learns how differences in two variables offset each other",
        linkers.BilinearLinker,
        time_weight=3.0,
        limit="matrix_variables",
        cost="learns a number for every pair of variables, {pairs:,} of them",
    ),
    Attacker(
        "hlms",
        "learns the weight of every combination of variables, in small steps",
        linkers.HLMSChoquetLinker,
        time_weight=1.5,
        monotone=True,
        limit="capacity_variables",
        cost="learns a value for every set of variables, 2^{n} of them",
    ),
    Attacker(
        "density",
        "learns the errors that masking makes, and uses that every record has one masked version",
        linkers.DensityLinker,
        options=_density,
        limit="density_variables",
        cost="learns the errors in each of {n:,} variables",
        seconds_per_pair=6e-7,
        knows_files=True,
    ),
)
ATTACKERS = {attacker.name: attacker for attacker in _ALL}


def chosen_attackers(names: Iterable[str] | None) -> list[Attacker]:
    """Attackers by name, from cheap to strong; all of them by default."""
    wanted = list(ATTACKERS if names is None else names)
    unknown = [name for name in wanted if name not in ATTACKERS]
    if unknown or not wanted:
        what = f"names {unknown[0]!r}, which is unknown" if unknown else "is empty"
        raise ValueError(f"attackers {what}: choose from {', '.join(ATTACKERS)}")
    return [attacker for name, attacker in ATTACKERS.items() if name in wanted]


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Warnings as texts, without those about an unfinished proof, which the status tells."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)
