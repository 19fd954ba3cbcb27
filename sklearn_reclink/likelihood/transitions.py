"""What masking does to a category: transition frequencies of one variable, learned from pairs.

``a`` is the category of an original record and ``b`` that of its masked version; missing is one of
the states. The log-likelihood ratio of a pair is the log of how much likelier ``b`` is given ``a``
than by itself::

    s(a, b) = log [ P(b | a) / P(b) ]

The rules need ``P(b | a)``; the division is by a constant of each masked record. It makes a present
``b`` comparable with a missing one, and 0 is the value of a variable that tells nothing.

*Rows.* ``P(b | a)`` is the product of whether ``b`` is missing, and of which category it is if not.
Both are frequencies of the row ``a``, shrunk towards a pooled model by as many pairs ``c``, ``d``
as make the pairs, each left out in turn, the likeliest::

    P(missing | a)    = (n_a,missing + c s_a) / (n_a + c)
    P(b | a, present) = (n_ab + d t_ab) / (n_a - n_a,missing + d)

    t_ab = r [a = b] + (1 - r) q_b,    t_missing,b = q_b

*The pooled model.* ``s_a`` is the share suppressed, of present and of missing originals. A category
is retained with probability ``r``, or else drawn from the shares ``q`` of the present masked ones;
``r`` is found by EM. A category never seen has a share of one in ``n + 1``, and the pooled model as
its row.

Of a category ``a``, all present ``b`` that it never became, other than ``a``, have one ratio: so a
row is one number, and the categories it became.
"""

from dataclasses import dataclass

import numpy as np

MISSING = -1
# Numbers of pairs that a pooled model may stand for.
_STRENGTHS = 2.0 ** np.arange(-3, 13)
_EM_STEPS = 50


@dataclass(frozen=True)
class Transitions:
    """Log-likelihood ratios of the categories of one variable.

    Categories are numbers from 0 on, and `MISSING`; those of the pairs it was learned from are
    below ``n_levels``.

    Attributes
    ----------
    present : ndarray of shape (n_levels + 2,)
        Ratio of each original category with a present one that it never became; the last two are a
        category never seen and the missing one.
    missing : ndarray of shape (n_levels + 2,)
        Ratio of each original category with a missing masked one.
    retained : ndarray of shape (n_levels + 1,)
        Ratio of each category with itself; the last one is a category never seen.
    rows, columns, logs : ndarray of shape (n_transitions,)
        Ratios of the categories that others became, sorted by rows. The row of the missing one is
        ``n_levels + 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.transitions import MISSING, learn_transitions
    >>> a = np.repeat([0, 0, 1, 1], [300, 100, 360, 40])
    >>> b = np.repeat([0, 1, 1, MISSING], [300, 100, 360, 40])
    >>> found, _ = learn_transitions(a, b)
    >>> np.exp(found.table(np.array([0]), np.array([0, 1]))).round(1)  # .75 / .375, .25 / .575
    array([[2. , 0.4]])
    >>> np.exp(found.table(np.array([1]), np.array([1, MISSING]))).round(1)  # .9 / .575, .1 / .05
    array([[1.6, 2. ]])
    """

    present: np.ndarray
    missing: np.ndarray
    retained: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    logs: np.ndarray

    def table(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Ratios of all pairs of some categories, (n_original, n_masked)."""
        codes, inverse = np.unique(masked, return_inverse=True)
        kinds, of_records = np.unique(original, return_inverse=True)
        n_levels = len(self.retained) - 1
        places = np.where(kinds == MISSING, n_levels + 1, np.minimum(kinds, n_levels))
        found = np.repeat(self.present[places, None], len(codes), axis=1)
        same, column = np.nonzero((kinds[:, None] == codes) & (kinds[:, None] != MISSING))
        found[same, column] = self.retained[places[same]]
        starts, ends = (np.searchsorted(self.rows, places, side) for side in ("left", "right"))
        for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
            at = np.searchsorted(codes, self.columns[start:end])
            at_or_last = np.minimum(at, len(codes) - 1)
            here = codes[at_or_last] == self.columns[start:end]
            found[row, at[here]] = self.logs[start:end][here]
        found[:, codes == MISSING] = self.missing[places, None]
        return found[:, inverse][of_records]

    def square(self) -> "Square":
        """Ratios of all categories that can be told apart, numbered."""
        n_levels = len(self.retained) - 1
        known = self.retained[:-1] != self.retained[-1]
        known |= self.present[:n_levels] != self.present[n_levels]
        known |= self.missing[:n_levels] != self.missing[n_levels]
        known[self.columns] = True
        known[self.rows[self.rows < n_levels]] = True
        codes = np.flatnonzero(known)
        kinds = np.append(codes, [MISSING, n_levels])
        table = self.table(kinds, kinds)
        same = float(table[-1, -1])
        table[-1, -1] = self.present[n_levels]
        return Square(codes, table, same)


@dataclass(frozen=True)
class Square:
    """The ratios of one variable by the numbers of its categories.

    Categories that some pair showed come first, then missing, then all others as one. Numbers of
    the others are beyond, so that equal ones are known.

    Attributes
    ----------
    codes : ndarray of int of shape (n_known,)
        The categories that come first.
    table : ndarray of shape (n_known + 2, n_known + 2)
        Ratios of an original category and a masked one.
    same : float
        The ratio of one of the others with itself.
    """

    codes: np.ndarray
    table: np.ndarray
    same: float

    def numbers(self, categories: np.ndarray) -> np.ndarray:
        """Numbers of some categories."""
        n_known = len(self.codes)
        place = np.searchsorted(self.codes, categories)
        known = np.append(self.codes, MISSING)[place] == categories
        found = np.where(known, place, n_known + 2 + categories)
        return np.where(categories == MISSING, n_known, found)


def categories_of(column: np.ndarray) -> np.ndarray:
    """Categories as numbers, of floats with NaN for a missing one."""
    return np.where(np.isnan(column), MISSING, column).astype(np.int64)


def learn_transitions(original: np.ndarray, masked: np.ndarray) -> tuple[Transitions, np.ndarray]:
    """Learn the transition frequencies of one variable.

    Parameters
    ----------
    original, masked : ndarray of int of shape (n_pairs,)
        Categories of aligned records.

    Returns
    -------
    transitions : Transitions
    left_out : ndarray of shape (n_pairs,)
        The ratio of each pair, its row learned from the others.
    """
    n_levels = int(max(original.max(), masked.max())) + 1
    rows = np.where(original == MISSING, n_levels + 1, original)
    is_missing = masked == MISSING
    n_rows = np.bincount(rows, minlength=n_levels + 2)  # n_a
    n_kept = np.bincount(rows[~is_missing], minlength=n_levels + 2)  # of them present
    lost = n_rows - n_kept
    share = (lost.sum() + 0.5) / (len(masked) + 1)
    suppressed = np.empty(n_levels + 2)
    for part in (slice(0, -1), slice(-1, None)):  # of present, of missing originals
        n = n_rows[part].sum()
        weight = n / len(masked)
        suppressed[part] = (lost[part].sum() + 0.5 * weight + share) / (n + weight + 1)
    strength, missing_left_out = _shrunk(lost, n_rows, suppressed, rows, is_missing)
    p_missing = (lost + strength * suppressed) / (n_rows + strength)
    of_present, of_pairs = _present_ratios(rows[~is_missing], masked[~is_missing], n_levels)
    left_out = np.where(is_missing, -np.log(share), -np.log1p(-share)) + missing_left_out
    left_out[~is_missing] += of_pairs
    kept_ratio = np.log1p(-p_missing) - np.log1p(-share)
    transitions = Transitions(
        kept_ratio + of_present.present,
        np.log(p_missing) - np.log(share),
        kept_ratio[:-1] + of_present.retained,
        of_present.rows,
        of_present.columns,
        kept_ratio[of_present.rows] + of_present.logs,
    )
    return transitions, left_out


def _shrunk(
    hits: np.ndarray, totals: np.ndarray, pooled: np.ndarray, rows: np.ndarray, hit: np.ndarray
) -> tuple[float, np.ndarray]:
    """Strength of the pooled shares, and log-probabilities of the pairs, each left out."""
    prior = np.where(hit, pooled[rows], 1 - pooled[rows])
    others = np.where(hit, hits[rows], totals[rows] - hits[rows]) - 1
    return _likeliest(others, totals[rows] - 1, prior)


def _likeliest(
    others: np.ndarray, totals: np.ndarray, prior: np.ndarray
) -> tuple[float, np.ndarray]:
    """The strength under which pairs are the likeliest by the other pairs of their rows."""
    logs = [np.log((others + c * prior) / (totals + c)) for c in _STRENGTHS]
    best = int(np.argmax([found.sum() for found in logs]))
    return float(_STRENGTHS[best]), logs[best]


def _present_ratios(
    rows: np.ndarray, masked: np.ndarray, n_levels: int
) -> tuple[Transitions, np.ndarray]:
    """``P(b | a, present) / q_b`` as if nothing were missing, and that of the pairs, left out."""
    n_masked = np.bincount(masked, minlength=n_levels + 1)
    shares = np.where(n_masked > 0, n_masked / max(len(masked), 1), 1 / (len(masked) + 1))
    same, among = rows == masked, rows <= n_levels
    retention = _retention(same[among], shares[masked[among]])
    width = n_levels + 1
    keys, place, counts = np.unique(rows * width + masked, return_inverse=True, return_counts=True)
    n_rows = np.bincount(rows, minlength=n_levels + 2)
    drawn = np.append(np.full(n_levels + 1, 1 - retention), 1.0)  # of a missing one, always
    prior = drawn[rows] * shares[masked] + retention * same
    strength, left_out = _likeliest(counts[place] - 1, n_rows[rows] - 1, prior)
    present = np.log(strength * drawn / (n_rows + strength))
    retained = np.log(strength * (retention / shares + 1 - retention) / (n_rows[:-1] + strength))
    a, b = np.divmod(keys, width)
    pooled = drawn[a] * shares[b] + retention * (a == b)
    logs = np.log((counts + strength * pooled) / (n_rows[a] + strength) / shares[b])
    found = Transitions(present, np.zeros(n_levels + 2), retained, a, b, logs)
    return found, left_out - np.log(shares[masked])


def _retention(same: np.ndarray, shares: np.ndarray) -> float:
    """Probability that a category is kept and not drawn, by EM."""
    kept = 0.5
    for _ in range(_EM_STEPS):
        certain = kept / (kept + (1 - kept) * shares[same])
        kept = (certain.sum() + 0.5) / (len(same) + 1)
    return float(kept)
