"""Files of mixed records as trees take them (`search.priced.mixed_tables`).

*Where trees cut.* Records that lack the same values are kept together first, if they are many, so
that most boxes hold one pattern of missing values. Then sides are cut by their lengths: numbers in
units of the error at which the likelihood falls by a factor of ``e``, categories in units of what
the log-likelihood gains if one is kept, compared with one met by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.likelihood.joint_errors import JointErrors, times
from sklearn_reclink.likelihood.pair_likelihood import least_variance, lengths_of_fall
from sklearn_reclink.likelihood.transitions import Square, categories_of
from sklearn_reclink.search.priced.mixed_tables import classes_of, mixed_tables
from sklearn_reclink.search.priced.planting import Coordinates, distinct_rows
from sklearn_reclink.search.priced.tabulated import tabulated

if TYPE_CHECKING:
    from sklearn_reclink.likelihood.mixed_likelihood import MixedLikelihood

# Most patterns of missing numbers, and most entries of the tables of categories or joint errors.
_MOST_PATTERNS = 2**11
_MOST_ENTRIES = 2**23
# A pattern is kept together if so large a share of the records has it.
_FREQUENT = 0.002
# Lengths of sides: from one pattern to the next, and from one category to the next.
_PATTERN_LENGTH = 1e6
_CATEGORY_LENGTH = 2.0

TwoFiles = Sequence[np.ndarray]


def mixed_coordinates(
    likelihood: "MixedLikelihood", original: np.ndarray, masked: np.ndarray
) -> Coordinates | None:
    """Both files as trees take them, or None if the tables would be too large.

    Parameters
    ----------
    likelihood : MixedLikelihood
    original, masked : ndarray of shape (n_records, n_columns)
        Records as the likelihood takes them.
    """
    n_measured = len(likelihood.value_ratios)
    measured = [file[:, : 2 * n_measured] for file in (original, masked)]
    missing = _patterns([file[:, :n_measured] for file in measured])
    categories = _categories(likelihood, [file[:, 2 * n_measured :] for file in (original, masked)])
    joint = _joint_errors(likelihood, measured)
    if categories is None or joint is None:
        return None
    used, logs, steps = likelihood.tables
    n_joint, weight = len(joint.arrays["spreads"]), joint.arrays["weight"]
    of_values, of_factors = np.zeros(n_joint + 2), np.full(n_joint, np.sqrt(weight / 2))
    scales = np.concatenate(
        [categories.lengths, 1 / lengths_of_fall(logs, steps), of_values, of_factors]
    )
    files, cut = [], []
    for side, file in enumerate(measured):
        parts = (
            categories.numbers[side],
            file[:, used],
            joint.values[side],
            missing.numbers[side][:, None],
            joint.numbers[side][:, None],
            joint.factors[side],
        )
        whole = np.hstack(parts)
        files.append(np.where(np.isnan(whole), np.nan, whole))  # of one sign: equal as bytes
        cut.append(_to_cut(files[-1], scales, categories.sizes, missing.numbers[side]))
    tables = categories.tables, [table.T for table in categories.tables]
    model, flipped = (
        mixed_tables(turned, categories.same, tabulated(logs, steps), joint.arrays, joint.slack)
        for turned in tables
    )
    classes = [classes_of(numbers, categories.sizes) for numbers in categories.numbers]
    return Coordinates(model, files, files, scales, flipped_model=flipped, cut=cut, classes=classes)


@dataclass(frozen=True)
class _Categories:
    numbers: TwoFiles  # (n_records, n_categories)
    tables: list[np.ndarray]
    same: np.ndarray
    lengths: np.ndarray  # from one number to the next

    @property
    def sizes(self) -> np.ndarray:
        return np.array([len(table) for table in self.tables], dtype=np.int64)


def _categories(likelihood: "MixedLikelihood", files: TwoFiles) -> _Categories | None:
    weight = likelihood.weights[3]
    squares: list[Square] = []
    if weight > 0:
        squares = [transitions.square() for transitions in likelihood.transitions]
    if sum(square.table.size for square in squares) > _MOST_ENTRIES:
        return None
    numbers = [np.zeros((len(file), len(squares))) for file in files]
    lengths = np.zeros(len(squares))
    for k, square in enumerate(squares):
        for found, file in zip(numbers, files, strict=True):
            found[:, k] = square.numbers(categories_of(file[:, k]))
        n_numbers = len(square.table)
        shares = [
            np.bincount(np.minimum(found[:, k], n_numbers - 1).astype(np.int64), None, n_numbers)
            / len(found)
            for found in numbers
        ]
        kept = shares[0] @ square.table.diagonal()
        lengths[k] = max(kept - shares[0] @ square.table @ shares[1], 0.0)
    return _Categories(
        numbers,
        [weight * square.table for square in squares],
        weight * np.array([square.same for square in squares]),
        _CATEGORY_LENGTH * weight * lengths,
    )


@dataclass(frozen=True)
class _Patterns:
    absent: np.ndarray  # (n_patterns, n_variables), of bool
    numbers: TwoFiles  # (n_records,)


def _patterns(files: TwoFiles) -> _Patterns:
    """Which values are missing together."""
    absent = np.isnan(np.vstack(files))
    first, numbers = distinct_rows(np.packbits(absent, axis=1))
    return _Patterns(absent[first], np.split(numbers.astype(float), [len(files[0])]))


@dataclass(frozen=True)
class _Joint:
    values: TwoFiles  # (n_records, n_joint)
    numbers: TwoFiles  # (n_records,): patterns
    factors: TwoFiles  # (n_records, n_joint)
    arrays: dict[str, Any]  # of `MixedTables`
    slack: float


def _joint_errors(likelihood: "MixedLikelihood", measured: TwoFiles) -> _Joint | None:
    weight = float(likelihood.weights[2])
    joint = likelihood.joint
    used = likelihood.numeric if weight > 0 and joint is not None else np.zeros(0, dtype=np.int64)
    values = [file[:, used] for file in measured]
    patterns = _patterns(values)
    present = ~patterns.absent
    if len(present) > _MOST_PATTERNS:
        return None
    shared = np.packbits(present[:, None] & present, axis=2).reshape(len(present) ** 2, -1)
    first, numbers = distinct_rows(shared)
    n_joint = len(used)
    if len(first) * n_joint**2 > _MOST_ENTRIES:
        return None
    known = np.zeros((len(first), n_joint), dtype=np.int64)
    constants, whitenings = np.zeros(len(first)), np.zeros((len(first), n_joint, n_joint))
    n_known = np.zeros(len(first), dtype=np.int64)
    for number, pair in enumerate(first):
        here = present[pair // len(present)] & present[pair % len(present)]
        n_known[number] = n = np.count_nonzero(here)
        known[number, :n] = np.flatnonzero(here)
        if n and joint is not None:
            constants[number], whitenings[number, :n, :n] = joint.of(here)
    observed = numbers.reshape(len(present), -1)
    factors, inverse, spreads = _factors(joint, values)
    size = max([float(np.nanmax(np.abs(file), initial=0.0)) for file in values])
    largest = np.abs(inverse).max(initial=0.0) + np.abs(whitenings).max(initial=0.0)
    # by rounding, roots of squares differ by less than this from those of the factors
    rounding = 1e-14 * n_joint * size * largest
    arrays = {
        "weight": weight,
        "observed": observed,
        "known": known,
        "n_known": n_known,
        "constants": constants,
        "whitenings": whitenings,
        "most_constant": constants[observed].max(axis=1),
        "spreads": spreads,
    }
    # (x - r)^2 >= (1 - e) x^2 - r^2 / e, with e = 2e-6 as in the bound
    slack = weight * (1e-10 * float(np.abs(constants).max()) + 0.25e6 * rounding**2)
    return _Joint(values, patterns.numbers, factors, arrays, slack)


def _factors(
    joint: JointErrors | None, values: TwoFiles
) -> tuple[TwoFiles, np.ndarray, np.ndarray]:
    """Factors of both files, the matrix that makes them, and the spreads of `MixedTables`."""
    if joint is None or not values[0].shape[1]:
        return values, np.zeros((0, 0)), np.zeros(0)
    order = np.argsort(np.isnan(np.vstack(values)).mean(axis=0), kind="stable")
    raised = joint.covariance + 4 * least_variance(joint.covariance) * np.eye(len(order))
    inverse = np.linalg.inv(np.linalg.cholesky(raised[np.ix_(order, order)]))
    factors = []
    for file in values:
        found = np.empty_like(file)
        for place in range(len(order)):
            first = slice(place + 1)
            found[:, [place]] = times(file[:, order[first]], inverse[place, first, None])
        factors.append(found)
    deviations = np.sqrt(raised.diagonal())
    largest = np.linalg.eigvalsh(raised / np.outer(deviations, deviations))[-1]
    return factors, inverse, 1 / (raised.diagonal() * largest * (1 + 1e-9))


def _to_cut(
    file: np.ndarray, scales: np.ndarray, sizes: np.ndarray, patterns: np.ndarray
) -> np.ndarray:
    """The coordinates whose longest sides are cut: the frequent pattern first, then the others."""
    used = np.flatnonzero(scales)
    found = np.empty((len(file), len(used) + 1))
    for place, k in enumerate(used):
        column = file[:, k]
        if k < len(sizes):
            column = np.minimum(column, sizes[k] - 1)
        known = ~np.isnan(column)
        middle = float(np.median(column[known])) if known.any() else 0.0
        found[:, place] = scales[k] * np.where(known, column, middle)
    numbers = patterns.astype(np.int64)
    frequent = np.bincount(numbers) > _FREQUENT * len(file)
    groups = np.where(frequent, np.cumsum(frequent), 0)
    found[:, -1] = _PATTERN_LENGTH * groups[numbers]
    return found
