"""A family of distances on two files, in integers: the second step of `verify`.

Its formulas are those at the top of `verify`. All coordinates are multiplied by one power of two,
which makes them integers and changes no link. A coordinate that is missing is None, and differs by
0 from anything; a category differs by its cap or not at all (`mixed`). What missing values cost is
a further variable that interacts with no other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from sklearn_reclink.certificates.coordinates import integers, require, whole

ORTHANT = ("weighted_mean", "owa")
CONSTRAINTS = {
    "weighted_mean": ("simplex", "positive"),
    "owa": ("simplex",),
    "choquet": ("monotone", "submodular"),
    "bilinear": ("free", "projected", "nonnegative", "psd"),
}

Row = Sequence[float | None]


class Distances:
    """A family, and the coordinates of two files.

    Parameters
    ----------
    family : dict
        Of a certificate.
    original, masked : list of rows
        Coordinates of the variables, then of what missing values cost.
    caps : list of float or None, optional
        Of each variable that is a category the difference of two of them, else None.
    """

    def __init__(
        self,
        family: Any,
        original: Sequence[Row],
        masked: Sequence[Row],
        caps: Sequence[float | None] | None = None,
    ) -> None:
        self.name, self.constraint, self.order = map(family.get, ("name", "constraint", "order"))
        require(self.constraint in CONSTRAINTS[self.name], "the family is unknown")
        self.n_records, self.n_masked, self.width = len(original), len(masked), len(original[0])
        self.n = self.width if caps is None else len(caps)
        everything = [*original, *masked, caps or []]
        found = iter(integers([1.0, *(x for row in everything for x in row if x is not None)]))
        one = next(found)
        rows = [[None if x is None else next(found) for x in row] for row in everything]
        self.original, self.masked = rows[: self.n_records], rows[self.n_records : -1]
        self.caps = rows[-1] + [None] * (self.width - len(rows[-1]))
        self.cone_unit = 1 if self.name == "bilinear" else one**2
        self.of_variables, self.costs = self._coordinates_of_theta()
        self.keys = [*self.of_variables, *self.costs]
        self.features = lru_cache(2**15)(self._features)

    def _coordinates_of_theta(self) -> tuple[list[Any], list[Any]]:
        """Those of the variables, and those of what missing values cost."""
        variables, others = range(self.n), range(self.n, self.width)
        if self.name == "choquet":
            most = self.n if self.order is None else whole(self.order, self.n + 1, "order", 1)
            sets = [A for A in range(1, 2**self.n) if A.bit_count() <= most]
            return sets, [1 << k for k in others]
        if self.name == "bilinear":
            products = [(k, m) for k in variables for m in range(k, self.n)]
            return products, [(k, k) for k in others]
        return list(variables), list(others)

    def difference(self, i: int, j: int) -> list[int]:
        return [
            0 if a is None or b is None else a - b if cap is None else min(abs(a - b), cap)
            for a, b, cap in zip(self.original[i], self.masked[j], self.caps, strict=True)
        ]

    def _features(self, i: int, j: int) -> dict[Any, int]:
        """``phi(a_i - b_j)``, by coordinate."""
        diff = self.difference(i, j)
        phi = self._features_of_variables(diff[: self.n])
        phi.update(zip(self.costs, (x * x for x in diff[self.n :]), strict=True))
        return phi

    def _features_of_variables(self, diff: list[int]) -> dict[Any, int]:
        if self.name == "bilinear":
            return {(k, m): diff[k] * diff[m] for k, m in self.of_variables}
        c = [x * x for x in diff]
        if self.name in ORTHANT:
            return dict(enumerate(c if self.name == "weighted_mean" else sorted(c, reverse=True)))
        if self.order is not None:
            return {A: min(x for k, x in enumerate(c) if A >> k & 1) for A in self.of_variables}
        phi, members, before = {}, 2**self.n - 1, 0
        for k in sorted(range(self.n), key=c.__getitem__):
            if c[k] > before:
                phi[members] = c[k] - before
            members, before = members ^ 1 << k, c[k]
        return phi

    def pair(self, i: Any, j: Any, *, own: bool = False) -> tuple[int, int]:
        require(own or i != j, "a record is compared with itself")
        return whole(i, self.n_records, "a record"), whole(j, self.n_masked, "a masked record")

    def cone_row(self, entry: list[Any]) -> dict[Any, int]:
        """``g``: of a pair (i, j), or of a set A and variables to add to it.

        ``mu(A + k) - mu(A)``, or ``mu(A + k) + mu(A + m) - mu(A + k + m) - mu(A)``. In terms of the
        Moebius transform these are sums over the sets in ``A + k (+ m)`` that hold k (and m).
        """
        if self.constraint == "nonnegative":
            i, j = self.pair(*entry, own=True)
            return self._features_of_variables(self.difference(i, j)[: self.n])
        A, added = whole(entry[0], 2**self.n, "A"), [1 << whole(k, self.n, "k") for k in entry[1:]]
        allowed = {"monotone": (1,), "submodular": (1, 2)}.get(self.constraint, ())
        both = sum(added)
        require(len(added) in allowed and both.bit_count() == len(added), "no row of the cone")
        require(not A & both, "a variable is in the set already")
        if self.order is not None:
            sign = 3 - 2 * len(added)
            return {B: sign for B in self.of_variables if not B & ~(A | both) and B & both == both}
        row = Counter({A | k: 1 for k in added})
        row.subtract({A, A | both} if len(added) == 2 else {A})
        return {B: value for B, value in row.items() if B}  # mu is 0 on the empty set

    def cone(self) -> Iterator[list[int]]:
        """Rows that make up the cone of capacities."""
        size = 1 if self.constraint == "monotone" else 2
        for A in range(2**self.n):
            lacking = [k for k in range(self.n) if not A >> k & 1]
            if lacking:
                yield from ([A, *k] for k in combinations(lacking, min(size, len(lacking))))

    def parameters(self, theta: Any) -> dict[Any, int]:
        """``theta`` by coordinate, if it is in the cone (nonnegative: see below) and not zero."""
        t = dict(zip(self.keys, integers(theta), strict=True))
        inside = any(t.values()) and all(t[key] >= 0 for key in self.costs)
        if self.name in ORTHANT:
            inside &= min(t[k] for k in self.of_variables) >= (self.constraint == "positive")
        elif self.name == "choquet":
            rows = map(self.cone_row, self.cone())
            inside &= all(sum(g * t[key] for key, g in row.items()) >= 0 for row in rows)
        elif self.constraint == "psd":
            inside &= is_psd(self.matrix({(k, m): x << (k == m) for (k, m), x in t.items()}))
        require(inside, "theta is not in the cone")
        return t

    def is_linked(self, t: dict[Any, int], i: int) -> bool:
        phis = [self._features(i, j) for j in range(self.n_masked)]
        if self.constraint == "nonnegative":
            least = min(sum(t[key] * phi[key] for key in self.of_variables) for phi in phis)
            require(least >= 0, "theta is not in the cone")
        d = [sum(t[key] * x for key, x in phi.items()) for phi in phis]
        own = d.pop(i)
        return all(own < other for other in d)

    def matrix(self, values: dict[Any, int]) -> list[list[int]]:
        return [[values[min(k, m), max(k, m)] for m in range(self.n)] for k in range(self.n)]


def is_psd(matrix: list[list[int]]) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue: elimination (Bareiss), exact."""
    before = 1
    for k, row in enumerate(matrix):
        rest = range(k + 1, len(matrix))
        if row[k] < 0 or (row[k] == 0 and any(row[m] for m in rest)):
            return False
        if row[k] > 0:
            for i in rest:
                factor = matrix[i][k]
                for m in rest:
                    matrix[i][m] = (matrix[i][m] * row[k] - factor * row[m]) // before
            before = row[k]
    return True
