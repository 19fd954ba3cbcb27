"""One-to-one links of largest total score, with a proof.

    maximise   sum of s_ij x_ij      subject to   sum_j x_ij <= 1,  sum_i x_ij <= 1,  x_ij in {0, 1}

where every record of the smaller file must have a link or, given a least score, where a record may
stay without a link: only pairs with ``s_ij > least`` count, each with its gain ``s_ij - least``.

*One form.* The *rows* are the records that must be matched, the *columns* those that may be. Rows
are the original records, or the masked ones if they are fewer. With a least score every record also
has a column of its own, with gain 0, that stands for no link. The dual gives every row a value
``u_r`` and every column a price ``v_c >= 0``, 0 for a column left over, with ``u_r + v_c >= s_rc``
for all pairs. Its objective bounds every assignment.

1. Match within candidates: first the best pairs of every record. The matching comes with values and
   prices (`matching`).
2. Price all pairs, block by block. Pairs with ``u_r + v_c < s_rc`` become candidates, and the
   matching is done again. If there are none, the assignment is optimal among all pairs; until then
   the violations added to the dual objective bound what is missing.

*Ties.* A link is *certain* if every optimal assignment has it. A matching of all rows is optimal
iff its pairs are tight, ``u_r + v_c = s_rc``, and the columns left over have the price 0. Two such
matchings differ by cycles: a row leaves its column for another one by a tight pair. All columns
left over are one node, which may take the place of any column of price 0. So a tight pair is in
some optimal assignment iff it leads from the row's own column to one of the same strongly connected
component.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sklearn_reclink.rules.matching import Matching, dense_links, dual_prices, match_sparse
from sklearn_reclink.rules.scores import Scores

# Scores that differ by less than this part of their range are equal.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Assignment:
    """One-to-one links of largest total score.

    Attributes
    ----------
    links : ndarray of int of shape (n_records,)
        Masked record of each original record, -1 for no link.
    n_tied : ndarray of int of shape (n_records,)
        Number of masked records that a record has in some optimal assignment. If it has no link in
        some optimal assignment, that counts as one more.
    rows, columns : ndarray of int of shape (n_pairs,)
        Original and masked record of the pairs of some optimal assignment.
    total : float
        The sum of the scores of the links, each less the least score, if there is one.
    bound : float
        No assignment has a larger sum; equal to ``total`` up to rounding if ``optimal``.
    optimal : bool
        Whether no assignment has a larger sum.
    """

    links: np.ndarray
    n_tied: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    total: float
    bound: float
    optimal: bool

    @property
    def certain(self) -> np.ndarray:
        """Whether the link is proven to be the same in all optimal assignments, (n_records,)."""
        return np.asarray((self.n_tied == 1) & (self.links >= 0) & self.optimal)

    def may_have(self, columns: np.ndarray) -> np.ndarray:
        """Whether each record has the named masked record in some optimal assignment."""
        found = np.zeros(len(self.links), dtype=bool)
        found[self.rows[self.columns == columns[self.rows]]] = True
        return found


def assign(
    scores: Scores,
    *,
    least: float | None = None,
    n_candidates: int = 32,
    max_rounds: int = 30,
    max_dense: int = 2_000_000,
    random_state: int = 0,
) -> Assignment:
    """Link one-to-one with the largest total score.

    Parameters
    ----------
    scores : Scores
        Scores of all pairs.
    least : float, default=None
        Only pairs with a larger score are linked, others stay without a link. By default every
        record of the smaller file has a link.
    n_candidates : int, default=32
        Number of best pairs of every record to start with, and of pairs that a record adds.
    max_rounds : int, default=30
        Largest number of times that candidates are added; what is then unproven is in ``bound``.
    max_dense : int, default=2_000_000
        Largest number of pairs that SciPy's dense method matches; beyond that, the sparse one does
        (`matching`).
    random_state : int, default=0
        Chooses among optimal assignments, whatever the order of the records. Only ``links``
        depends on it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.rules import Scores, assign
    >>> scores = Scores.of_table(np.array([[5.0, 4.0], [3.0, 0.0]]))
    >>> found = assign(scores)
    >>> found.links, found.total, found.optimal
    (array([1, 0]), 7.0, True)
    >>> assign(scores, least=3.5).links
    array([ 0, -1])
    """
    program = Program(scores, least, np.random.default_rng(random_state))
    links = program.dense_links() if scores.shape[0] * scores.shape[1] <= max_dense else None
    return solve(program, links, n_candidates, max_rounds)


def solve(
    program: "Program", links: np.ndarray | None, n_candidates: int, max_rounds: int
) -> Assignment:
    """Match and review until no pair is missing; ``links`` are those of an optimum, if known."""
    keys = program.some_matching() if links is None else program.keys_of(links)
    matching = program.start
    review = program.review(matching, n_candidates)
    for _ in range(max_rounds):
        keys = np.union1d(keys, review.missing)
        matching = program.match(keys, links, matching)
        review = program.review(matching, n_candidates)
        if not len(review.missing):
            break
    total = float(matching.values.sum() + matching.prices.sum())
    return Assignment(
        program.masked_of(matching.links),
        *program.ties(matching, review.records, review.masked),
        total=total,
        bound=total + review.shortfall,
        optimal=not len(review.missing),
    )


@dataclass(frozen=True)
class Review:
    """What all pairs say about values and prices.

    A pair has the key ``record * n_masked + masked``.
    """

    missing: np.ndarray  # keys of the worst pairs that violate them
    records: np.ndarray  # of the tight pairs
    masked: np.ndarray
    shortfall: float


class Program:
    """The assignment problem of all pairs, in its one form of rows and columns."""

    def __init__(self, scores: Scores, least: float | None, rng: np.random.Generator) -> None:
        self.scores = scores
        ends = [end for _, values in scores.blocks() for end in (values.min(), values.max())]
        self._set_up(scores.shape, least, rng, ends)

    def _set_up(
        self,
        shape: tuple[int, int],
        least: float | None,
        rng: np.random.Generator,
        ends: list[float],
    ) -> None:
        self.least, self.rng = least, rng
        self.n_records, self.n_masked = shape
        self.flipped = least is None and self.n_records > self.n_masked
        self.shape = shape[::-1] if self.flipped else shape
        if least is not None:
            self.shape = self.n_records, self.n_masked + self.n_records
        ends = ends + ([] if least is None else [least])
        self.tolerance = _ROUNDING * float(max(ends) - min(ends))
        # every pair that may be linked violates these values: the best ones become candidates
        low = min(*ends, 0.0) - 1.0 - self.tolerance
        no_links = np.full(self.shape[0], -1)
        self.start = Matching(no_links, *(np.full(size, low) for size in self.shape))

    def gains(self, values: np.ndarray) -> np.ndarray:
        """Scores above the least one; minus infinity for pairs that are never linked."""
        if self.least is None:
            return values
        return np.where(values > self.least, values - self.least, -np.inf)

    def some_matching(self) -> np.ndarray:
        """Keys of pairs that match all rows, at random; with a least score none are needed."""
        shape = self.n_records, self.n_masked
        size = 0 if self.least is not None else min(shape)
        records, masked = (self.rng.permutation(n)[:size] for n in shape)
        return records * self.n_masked + masked

    def dense_links(self) -> np.ndarray:
        """Column of every row in one optimal assignment, from all pairs at once."""
        gains = np.concatenate([self.gains(values) for _, values in self.scores.blocks()])
        links = dense_links(gains.T if self.flipped else gains, self.rng)
        return np.where(links >= 0, links, self.n_masked + np.arange(self.shape[0]))

    def masked_of(self, links: np.ndarray) -> np.ndarray:
        """Masked record of every original record, -1 for none, from the column of every row."""
        masked = np.where(links < self.n_masked, links, -1)
        if self.flipped:
            masked = np.full(self.n_records, -1)
            masked[links] = np.arange(self.n_masked)
        return masked

    def keys_of(self, links: np.ndarray) -> np.ndarray:
        masked = self.masked_of(links)
        return (np.arange(self.n_records) * self.n_masked + masked)[masked >= 0]

    def scores_at(self, records: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Scores of some pairs, sorted by record."""
        return self.scores.at(records, masked)

    def turned(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns from original and masked records, or these from those."""
        return (second, first) if self.flipped else (first, second)

    def match(
        self, keys: np.ndarray, links: np.ndarray | None, before: Matching | None = None
    ) -> Matching:
        """Match within some pairs; if an optimal assignment is known, only price them."""
        records, masked = np.divmod(keys, self.n_masked)
        gains = self.gains(self.scores_at(records, masked))
        rows, columns = self.turned(records, masked)
        if self.least is not None:
            everyone = np.arange(self.n_records)
            rows, columns = np.append(rows, everyone), np.append(columns, self.n_masked + everyone)
            gains = np.append(gains, np.zeros(self.n_records))
        candidates = sparse.coo_array((gains, (rows, columns)), shape=self.shape)
        if links is None:
            square = self.shape[0] == self.shape[1]
            first = before is None or before is self.start
            return match_sparse(candidates, self.rng, before if square and not first else None)
        return dual_prices(candidates, links, self.tolerance)

    def review(self, matching: Matching, n_new: int) -> Review:
        """Price all pairs; the worst of every record of both files become candidates."""
        u, v = self.turned(matching.values, matching.prices)
        v = v[: self.n_masked]
        missing, tight, shortfall = [], [], 0.0
        masked = np.arange(self.n_masked)
        worst, holders = np.zeros(self.n_masked), np.zeros(self.n_masked, dtype=np.int64)
        for start, values in self.scores.blocks():
            slack = u[start : start + len(values), None] + v - self.gains(values)
            lowest = slack.min(axis=1)
            shortfall -= float(np.minimum(lowest, 0.0).sum())
            rows, columns = np.nonzero(np.abs(slack) <= self.tolerance)
            tight.append((start + rows, columns))
            rows = np.flatnonzero(lowest < -self.tolerance)[:, None]
            # noise, so that records with the same slacks do not all choose the same columns
            noise = self.rng.random((len(rows), self.n_masked), dtype=np.float32)
            noisy = slack[rows[:, 0]] + (self.tolerance or 1.0) * noise
            n_worst = min(n_new, self.n_masked)
            columns = np.argpartition(noisy, n_worst - 1, axis=1)[:, :n_worst]
            keys = (start + rows) * self.n_masked + columns
            missing.append(keys[slack[rows, columns] < -self.tolerance])
            row = slack.argmin(axis=0)
            worse = slack[row, masked] < worst
            worst[worse], holders[worse] = slack[row, masked][worse], start + row[worse]
        missing.append((holders * self.n_masked + masked)[worst < -self.tolerance])
        records, columns = (np.concatenate(part) for part in zip(*tight, strict=True))
        return Review(np.concatenate(missing), records, columns, shortfall)

    def ties(
        self, matching: Matching, records: np.ndarray, masked: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The choices of every record, and the pairs of some optimal assignment."""
        rows, columns = self.turned(records, masked)
        if self.least is not None:
            alone = np.flatnonzero(matching.values <= self.tolerance)
            rows, columns = np.append(rows, alone), np.append(columns, self.n_masked + alone)
        worthless = matching.prices <= self.tolerance
        possible, may_be_left = _exchangeable(matching.links, rows, columns, worthless)
        rows, columns = rows[possible], columns[possible]
        if self.flipped:
            n_tied = np.bincount(columns, minlength=self.n_records) + may_be_left
            return n_tied, columns, rows
        real = columns < self.n_masked
        return np.bincount(rows, minlength=self.n_records), rows[real], columns[real]


def _exchangeable(
    links: np.ndarray, rows: np.ndarray, columns: np.ndarray, worthless: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which tight pairs some optimal assignment has, and which columns some leaves over."""
    outside = len(worthless)
    left_over = np.ones(outside, dtype=bool)
    left_over[links] = False
    node = np.where(left_over, outside, np.arange(outside))
    replaceable = np.flatnonzero(worthless & ~left_over)
    tails = np.append(links[rows], np.full(len(replaceable), outside))
    heads = np.append(node[columns], replaceable)
    arrows = sparse.coo_array(
        (np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(outside + 1,) * 2
    )
    _, component = csgraph.connected_components(arrows.tocsr(), connection="strong")
    may_be_left = worthless & (component[node] == component[outside])
    return component[links[rows]] == component[node[columns]], may_be_left
