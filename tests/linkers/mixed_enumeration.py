"""The optimum of a linker on a small mixed file, enumerated in exact rational arithmetic.

The dissimilarities are written down again here from their definition; sets of records are decided
by `tests.exact_arithmetic`, which shares no code with the package.

A matrix takes differences in place of dissimilarities: ``a - b`` of numbers, and 0 or a positive
constant of categories, here 1. Which one changes no optimum: to scale a variable maps symmetric
matrices, those that are negative on no pair, and the positive semidefinite ones onto themselves.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

from sklearn_reclink import BilinearLinker, ChoquetLinker, OWALinker, WeightedMeanLinker
from tests import exact_arithmetic as exact

NOMINAL = [2]  # columns: two of numbers, then a category


@st.composite
def mixed_files(
    draw: Any, n_records: tuple[int, int] = (3, 6), *, always_gaps: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Two aligned files: small whole numbers, categories, some of them missing."""
    n = draw(st.integers(*n_records))
    number, level = st.integers(0, 4), st.integers(0, 2)
    gap = st.booleans() if always_gaps or draw(st.booleans()) else st.just(False)
    files = []
    for _ in range(2):
        rows = [[draw(number), draw(number), draw(level)] for _ in range(n)]
        files.append(np.array(rows, dtype=float))
    if draw(st.booleans()):  # masked from the original
        files[1][:, :2] = files[0][:, :2] + np.array(
            [[draw(st.integers(-1, 1)) for _ in range(2)] for _ in range(n)]
        )
        files[1][:, 2] = files[0][:, 2]
    for file in files:
        for i in range(n):
            if draw(gap):
                file[i, draw(st.integers(0, 2))] = np.nan
    return files[0], files[1]


@st.composite
def narrow_files(draw: Any) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """One or two variables of files with missing values, and which of them are categories."""
    columns = draw(st.sampled_from([[0, 1], [0, 2], [0], [2]]))
    X, Y = draw(mixed_files((3, 5), always_gaps=True))
    return X[:, columns], Y[:, columns], [k for k, c in enumerate(columns) if c in NOMINAL]


def varies(column: np.ndarray) -> bool:
    """Whether it has two states, of which missing is one, and a value."""
    return len(set(map(str, column.tolist()))) > 1 and not np.isnan(column).all()


def informative(X: np.ndarray, Y: np.ndarray) -> list[int]:
    return [k for k in range(X.shape[1]) if varies(X[:, k]) and varies(Y[:, k])]


def nominal_cost(*columns: np.ndarray) -> Fraction:
    """2 / (1 - sum of squared shares), of the first column with several values; else 1."""
    for column in columns:
        counts = np.unique(column[~np.isnan(column)], return_counts=True)[1].tolist()
        if len(counts) > 1:
            return 2 / (1 - sum(Fraction(count, sum(counts)) ** 2 for count in counts))
    return Fraction(1)


def dissimilarities(
    X: np.ndarray, Y: np.ndarray, nominal: list[int], *, signed: bool = False
) -> tuple[Callable[[int, int], list], int]:
    """c of record i and masked record j, then what is missing in one; how many are the first.

    ``signed``: differences in place of c, for matrices.
    """
    used = informative(X, Y)
    extra = [(k, way) for k in used for way in (0, 1) if np.isnan((Y, X)[way][:, k]).any()]
    costs = {k: 1 if signed else nominal_cost(X[:, k], Y[:, k]) for k in used if k in nominal}

    def between(i: int, j: int) -> list[Fraction]:
        found = []
        for k in used:
            a, b = X[i, k], Y[j, k]
            if np.isnan(a) or np.isnan(b):
                found.append(Fraction(0))
            elif k in nominal:
                found.append(Fraction(costs[k] * int(a != b)))
            else:
                found.append(Fraction(a - b) if signed else Fraction(a - b) ** 2)
        missing = [(np.isnan(X[i, k]), np.isnan(Y[j, k])) for k, _ in extra]
        ways = [((False, True), (True, False))[way] for _, way in extra]
        return found + [Fraction(int(m == way)) for m, way in zip(missing, ways, strict=True)]

    return between, len(used)


FAMILIES = {
    "weighted mean": (WeightedMeanLinker(), lambda c: c, exact.unit_rows),
    "OWA": (OWALinker(), lambda c: sorted(c, reverse=True), exact.unit_rows),
    "Choquet": (ChoquetLinker(), exact.increments_of, exact.monotone_rows),
    "submodular": (
        ChoquetLinker(constraint="submodular"),
        exact.increments_of,
        exact.submodular_rows,
    ),
    "2-additive": (
        ChoquetLinker(k_additive=2),
        lambda c: exact.minima_of(c, 2),
        lambda n: exact.moebius_rows(exact.monotone_rows(n), n, 2),
    ),
    "free bilinear": (BilinearLinker(constraint="free"), exact.products, lambda n: []),
}


class Enumeration:
    """Rows of all pairs of a mixed file: features, then what is missing in one record."""

    def __init__(
        self,
        X: np.ndarray,
        Y: np.ndarray,
        features: Callable[[list], list],
        nominal: list[int],
        *,
        signed: bool,
    ) -> None:
        between, self.n_variables = dissimilarities(X, Y, nominal, signed=signed)
        n, records = self.n_variables, range(len(X))
        self.n_extra = len(between(0, 0)) - n
        phi = [
            [[*features(c[:n]), *c[n:]] for c in (between(i, j) for j in records)] for i in records
        ]
        self.pairs = [pair for of_record in phi for pair in of_record]
        self.rows = [
            [
                exact.primitive([x - y for x, y in zip(phi[i][j], phi[i][i], strict=True)])
                for j in records
                if j != i
            ]
            for i in records
        ]

    def orthant(self) -> list[list[int]]:
        width = len(self.pairs[0])
        return exact.unit_rows(width)[width - self.n_extra :]

    def padded(self, domain: list[list]) -> list[list[int]]:
        """Rows of the cone of the features, and of the orthant."""
        return [*([*row, *[0] * self.n_extra] for row in domain), *self.orthant()]


def enumerated(X: np.ndarray, Y: np.ndarray, family: str) -> int:
    """The most records that any admissible parameters link."""
    _, features, domain = FAMILIES[family]
    free = family == "free bilinear"
    files = Enumeration(X, Y, features, [] if free else NOMINAL, signed=free)
    return len(exact.best_subset(files.rows, files.padded(domain(files.n_variables))))


def enumerated_matrices(X: np.ndarray, Y: np.ndarray, nominal: list[int], constraint: str) -> int:
    """The same of matrices of at most two variables."""
    files = Enumeration(X, Y, exact.products, nominal, signed=True)
    if constraint == "psd":
        return len(exact.best_psd_subset(files.rows, files.n_extra))
    width = len(files.pairs[0]) - files.n_extra
    pairs = {tuple(exact.primitive(pair[:width])) for pair in files.pairs}
    domain = [list(pair) for pair in pairs if any(pair)] if constraint == "nonnegative" else []
    return len(exact.best_subset(files.rows, files.padded(domain)))


def fitted(linker: Any, X: np.ndarray, Y: np.ndarray, **params: Any) -> Any:
    told = {"standardize": None, "categorical_features": NOMINAL, **params}
    return clone(linker).set_params(**told).fit(X, Y)
