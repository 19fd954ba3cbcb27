"""Check a certificate in exact arithmetic: standard library only, no solver, nothing rounded.

*Files.* Row i of both files is the same person; further masked records (of a pool) are impostors
only. A coordinate is a float, such as ``(x - shift) / scale`` (`coordinates`). From there on every
number is a rational.

*Distances.* ``d_ij = theta . phi(a_i - b_j)``, where ``theta`` is in a cone of parameters::

    weighted_mean    phi_k = diff_k^2                                theta >= 0
    owa              phi_k = the k-th largest of diff^2              theta >= 0
    choquet          phi_A = increments of diff^2 in order           monotone, or submodular too
    ... of an order  phi_A = least diff^2 in A, for small sets A     the same (theta: Moebius)
    bilinear         phi_kl = diff_k diff_l, k <= l                  free; d >= 0 on all pairs; psd

Of mixed files, differences of categories are capped, and those beside a missing value are 0
(`mixed`). What a missing value costs is a sum of its own: ``w_e x_e`` joins ``d`` and D for each
coordinate e of missing values, ``w_e >= 0``, whatever the family; ``theta`` ends with the w_e.

*Rule.* With tau = 1e-12, record i is linked iff ``d_ij - d_ii > tau (D_ij + D_ii)`` for all j != i.
The magnitude D is ``|d|``; for capacities of an order, where theta has signs, ``|theta| . |phi|``.

*Claim.* (a) ``theta`` is in the cone, and each record listed as linked has ``d_ij > d_ii`` for all
j != i. (b) No theta of the cone links more than ``bound`` records: each loses ``goal = records -
bound`` of them or more, in the view of (a) and all other views. A proof of (b) consists of:

*Never.* Pairs (i, j) that no theta tells apart. A monotone and homogeneous distance ties, or worse,
if ``c_ij - c_ii <= tau (c_ij + c_ii)`` in every variable, c = diff^2; a bilinear one does if
``a_i - b_j`` is plus or minus ``a_i - b_i``. Coordinates of missing values are monotone in all.

*Conflicts.* Rows (i, j) with multipliers lambda >= 0, not all 0, and rows g of the cone, that is
``g . theta >= 0``, with nu >= 0. Let ``R = sum lambda (phi_ij - phi_ii) + sum nu g`` and ``A = tau
sum lambda (phi_ij + phi_ii)``. If all records with lambda > 0 were linked, then ``R . theta > sum
lambda tau (D_ij + D_ii)``. So one of them is not, in the cell of parameters at hand, if

    R <= A at all corners of the cell     weighted_mean, owa (the first cell is the cone itself)
    R <= A in every coordinate            choquet, as theta >= 0
    |R| <= A in every coordinate          ... of an order (R <= A for single variables: theta >= 0)
    A - R is positive semidefinite        bilinear, psd
    R = 0                                 bilinear, otherwise
    R <= A                                ... in the coordinates of missing values, as w_e >= 0

*Tree.* Nodes, each followed by its subtrees. A node is about the parameters of a cell, with some
records lost and others kept. It may name records *lost* there (a conflict of one row), and
conflicts, which hold below it. A *clique* is a set of records in conflict two by two. Then the node
*splits* the cell: ``u a + v b``, on the edge of two corners, takes the place of a, and of b. Or it
*branches*: a record is lost, or kept. Or it ends. With x_i = 1 for lost records, ``sum_{i in C} x_i
>= m_C``, which is 1 for a conflict C and one less than its size for a clique. So for any duals ``y
>= 0``, with ``s_i`` the sum of y over the sets that hold i,

    losses >= sum_i x_i + sum_C y_C (m_C - sum_{i in C} x_i) = sum_C y_C m_C + sum_i x_i (1 - s_i),

and the least of this over the x_i left free is a bound. A node may end if that is above goal - 1.
If it is with ``x_i = 1``, whoever loses fewer than ``goal`` keeps i: a node may *keep* all such i.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from operator import mul
from typing import Any, NamedTuple

from sklearn_reclink.certificates.coordinates import (
    CertificateError,
    Table,
    coordinates,
    digest,
    integers,
    require,
    whole,
    with_pool,
)
from sklearn_reclink.certificates.distances import ORTHANT, Distances, is_psd
from sklearn_reclink.certificates.mixed import codes, mixed_coordinates

FORMAT, VERSION, TOLERANCE = "sklearn-reclink certificate", 1, 1e-12
T, UNIT = TOLERANCE.as_integer_ratio()  # tau = T / UNIT


class Verified(NamedTuple):
    """What was proven; ``statement`` says it in a sentence."""

    n_linked: int
    bound: int
    n_records: int
    statement: str


def verify(certificate: Any, original: Table, masked: Table, pool: Table | None = None) -> Verified:
    """Check a certificate against the files, lists of rows of floats; what it proves."""
    try:
        return _verify(certificate, original, masked, pool)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"it is malformed ({type(error).__name__})") from error


def _verify(certificate: Any, original: Table, masked: Table, pool: Table | None) -> Verified:
    for name, value in (("format", FORMAT), ("version", VERSION), ("tolerance", TOLERANCE)):
        require(certificate[name] == value, f"its {name} is not {value}")
    variables = certificate.get("variables")
    if "variables" in certificate:
        original, masked, pool = codes(variables, original, masked, pool)
    _is_certified(certificate, "original", original)
    _is_certified(certificate, "masked", masked)
    n, everyone = len(original), masked if pool is None else with_pool(masked, pool)
    _is_certified(certificate, "pool", None if pool is None else everyone)
    require(len(masked) == n, "the files have different numbers of records")
    require(len({len(row) for row in original + everyone}) == 1, "the files have different columns")
    bound, views = whole(certificate["bound"], n + 1, "bound"), certificate.get("other_views", [])
    for one in [*views, certificate]:
        tables = original, masked, everyone
        if "variables" not in certificate:
            found: Any = coordinates(one["view"], *tables)
        else:
            found = mixed_coordinates(one["view"], variables, *tables)
        checker, proof = Checker(certificate["family"], *found), one["proof"]
        checker.tree(proof["tree"], checker.never(proof["never"]), goal=n - bound)
    n_linked = checker.links(certificate["theta"], certificate["linked"])
    seen = " or ".join(str(one["view"]["standardize"]) for one in [certificate, *views])
    counts = whole(certificate["n_records"], n + 1, "n"), whole(certificate["n_linked"], n + 1, "n")
    require(counts == (n, n_linked), "a count is wrong")
    text = f"The parameters link {n_linked} of {n} records. No parameters of the family "
    text += f"{checker.name} ({checker.constraint}) link more than {bound} (standardize: {seen}); "
    text += f"distances within {TOLERANCE:g} of each other count as tied."
    return Verified(n_linked, bound, n, text)


def _is_certified(certificate: Any, name: str, table: Table | None) -> None:
    same = certificate["sha256"][name] == (None if table is None else digest(table))
    require(same, f"the {name} file is not the one that was certified")


class Cell(NamedTuple):
    """The corners of some parameters, records lost and kept, sets that lose so many or more."""

    corners: tuple[tuple[int, ...], ...]
    lost: frozenset[int]
    kept: frozenset[int]
    sets: tuple[tuple[frozenset[int], int], ...]


class Checker(Distances):
    """The proof of a certificate about a family and two files."""

    def links(self, theta: Any, linked: Any) -> int:
        """(a) The number of linked records, if theta is in the cone and links them."""
        t = self.parameters(theta)
        members = {whole(i, self.n_records, "a linked record") for i in linked}
        require(len(members) == len(linked), "a linked record is listed twice")
        for i in range(self.n_records) if self.constraint == "nonnegative" else members:
            require(self.is_linked(t, i) or i not in members, f"record {i} is not linked")
        return len(members)

    # -- (b) the bound ----------------------------------------------------------------------------

    def never(self, pairs: Any) -> frozenset[int]:
        for i, j in pairs:
            other, own = self.difference(*self.pair(i, j)), self.difference(i, i)
            squares = [(x * x, y * y) for x, y in zip(other, own, strict=True)]
            tied = True
            if self.name == "bilinear":
                tied = other[: self.n] in (own[: self.n], [-x for x in own[: self.n]])
                squares = squares[self.n :]
            tied &= all(UNIT * (c - o) <= T * (c + o) for c, o in squares)
            require(tied, f"record {i} may be linked")
        return frozenset(i for i, _ in pairs)

    def combined(self, rows: Any, cone: Any) -> tuple[dict[Any, int], dict[Any, int]]:
        """``UNIT (R - A)`` and ``UNIT (R + A)`` of a conflict, times a power of two."""
        multipliers = integers([entry[-1] for entry in [*rows, *cone]], least=0)
        R: Counter[Any] = Counter()
        A: Counter[Any] = Counter()
        for (i, j, _), weight in zip(rows, multipliers, strict=False):
            phis = self.features(*self.pair(i, j)), self.features(i, i)
            for sign, phi in zip((1, -1), phis, strict=True):
                for key, value in phi.items():
                    R[key] += sign * weight * value
                    A[key] += weight * value
        for (*entry, _), weight in zip(cone, multipliers[len(rows) :], strict=True):
            for key, value in self.cone_row(entry).items():
                R[key] += weight * value * self.cone_unit
        return {B: UNIT * R[B] - T * A[B] for B in R}, {B: UNIT * R[B] + T * A[B] for B in R}

    def conflict(self, rows: Any, cone: Any, corners: Iterable[Sequence[int]]) -> frozenset[int]:
        """The records of a conflict, if it is proven."""
        above, below = self.combined(rows, cone)
        if self.name in ORTHANT:
            values = [above[k] for k in self.keys]
            proven = all(sum(map(mul, values, corner)) <= 0 for corner in corners)
        elif self.name == "bilinear":
            proven = all(above.pop(key) <= 0 for key in self.costs)
            if self.constraint == "psd":
                proven &= is_psd(self.matrix({key: -x for key, x in above.items()}))
            else:
                proven &= all(x + below[key] == 0 for key, x in above.items())  # 2 R = 0
        else:
            several = [B for B in below if self.order is not None and B.bit_count() > 1]
            proven = all(x <= 0 for x in above.values()) and all(below[B] >= 0 for B in several)
        members = frozenset(i for i, _, weight in rows if weight > 0)
        require(proven and len(members) > 0, "a conflict is not proven")
        return members

    def tree(self, nodes: Any, never: frozenset[int], goal: int) -> None:
        """Whether all parameters lose ``goal`` records or more."""
        every = range(self.width)
        cone = tuple(tuple(int(k == m) for m in every) for k in every)
        cells = [Cell(cone, never, frozenset(), ())]
        for node in nodes:
            require(len(cells) > 0, "the tree has too many nodes")
            cell = cells.pop()
            lost = [self.conflict([[*pair, 1]], [], cell.corners) for pair in node.get("lost", [])]
            stated = node.get("conflicts", [])
            known = [self.conflict(c["rows"], c.get("cone", []), cell.corners) for c in stated]
            sets = [*cell.sets, *((members, 1) for members in known)]
            for clique in node.get("cliques", []):
                found = all(frozenset(pair) in known for pair in combinations(clique, 2))
                require(found and len(set(clique)) == len(clique) > 1, "a clique is not proven")
                sets.append((frozenset(clique), len(clique) - 1))
            cell = cell._replace(lost=cell.lost.union(*lost), sets=tuple(sets))
            cells += reversed(self.below(node, cell, goal))
        require(not cells, "the tree has too few nodes")

    def below(self, node: Any, cell: Cell, goal: int) -> list[Cell]:
        """What the subtrees of a node are about; nothing where it may end."""
        if "split" in node:
            require(self.name in ORTHANT, "the cone of this family has no corners")
            a, b = (whole(k, self.width, "a corner") for k in node["split"][:2])
            u, v = (whole(x, math.inf, "a weight", least=1) for x in node["split"][2:])
            corners = cell.corners
            require(a != b, "a corner is split with itself")
            new = tuple(u * x + v * y for x, y in zip(corners[a], corners[b], strict=True))
            return [cell._replace(corners=(*corners[:k], new, *corners[k + 1 :])) for k in (a, b)]
        if "branch" in node:
            record = {whole(node["branch"], self.n_records, "a record")}
            return [cell._replace(lost=cell.lost | record), cell._replace(kept=cell.kept | record)]
        duals = node.get("duals", [])
        one, *y = integers([1, *(value for _, value in duals)], least=0)
        price: Counter[int] = Counter()
        losses = 0
        for (c, _), value in zip(duals, y, strict=True):
            members, least = cell.sets[whole(c, len(cell.sets), "a conflict")]
            losses += value * least
            for i in members:
                price[i] += value
        free = price.keys() - cell.lost - cell.kept
        losses += sum(one - price[i] for i in cell.lost)
        losses += sum(min(0, one - price[i]) for i in free)
        enough = (goal - 1) * one
        if "keep" not in node:
            require(losses > enough, "a node ends before it is proven")
            return []
        every = range(self.n_records)
        kept = {i for i in every if losses + max(0, one - price[i]) > enough} - cell.lost
        return [cell._replace(kept=cell.kept | kept)]
