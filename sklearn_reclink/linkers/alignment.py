"""Whether two files look like a file and its masked version.

Rows that are not aligned, or a transformer in front of a linker, which scikit-learn applies to
``X`` alone, give a rate that is wrong and reassuringly low. Two symptoms are looked for.

*Unrelated rows.* ``r_k`` is the rank correlation of ``X_k`` and ``Y_k`` over aligned rows. With
unrelated rows ``sqrt(N) r_k`` is about standard normal. The files are called unrelated when
neither the largest ``r_k`` nor their sum stands out of that::

    max_k r_k < 2 / sqrt(N)     and     sum_k r_k < 2 sqrt(n / N)

Masking that leaves one variable half recognisable passes the first test by far, and masking that
blurs all of them at once, such as microaggregation of many variables, passes the second.

*Other units*, where differences are taken on raw values: spread or location of a variable
differs by so much, by standard deviation and by quartiles alike, that no masking explains it.
"""

from __future__ import annotations

import numpy as np

MIN_RECORDS = 20  # fewer rows cannot tell masked from unrelated
_SPREAD_RATIO = 20.0
_SHIFT = 5.0


def rank_correlations(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Spearman correlation of every variable over aligned rows, NaN for a constant one."""
    from scipy.stats import rankdata

    ranks = [rankdata(table, axis=0) - (len(table) + 1) / 2 for table in (X, Y)]
    norms = [np.sqrt((rank**2).sum(axis=0)) for rank in ranks]
    with np.errstate(invalid="ignore"):
        return np.asarray((ranks[0] * ranks[1]).sum(axis=0) / (norms[0] * norms[1]))


def unrelated(X: np.ndarray, Y: np.ndarray) -> bool:
    """Whether aligned rows resemble each other no more than rows drawn at random."""
    n_records = len(X)
    if n_records < MIN_RECORDS:
        return False
    correlations = rank_correlations(X, Y)
    correlations = correlations[np.isfinite(correlations)]
    if not len(correlations):
        return False
    noise = 2 / np.sqrt(n_records)
    return bool(
        correlations.max() < noise and correlations.sum() < noise * np.sqrt(len(correlations))
    )


def in_other_units(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Variables whose spread or location differs beyond any masking, (n_other,)."""
    if len(X) < MIN_RECORDS:
        return np.empty(0, dtype=np.intp)
    quartiles = [np.percentile(table, [25, 50, 75], axis=0) for table in (X, Y)]
    by_moments = _far_apart([(t.mean(axis=0), t.std(axis=0, ddof=1)) for t in (X, Y)])
    by_ranks = _far_apart([(q[1], q[2] - q[0]) for q in quartiles])
    return np.flatnonzero(by_moments & by_ranks)


def _far_apart(location_and_spread: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    (place, spread), (other_place, other_spread) = location_and_spread
    small, large = np.minimum(spread, other_spread), np.maximum(spread, other_spread)
    return np.asarray(
        (small > 0)
        & ((large > _SPREAD_RATIO * small) | (np.abs(place - other_place) > _SHIFT * large))
    )


def alignment_warning(X: np.ndarray, Y: np.ndarray, standardize: str | None) -> str | None:
    """What to warn of before linking two files, if anything."""
    if unrelated(X, Y):
        return (
            "row i of y resembles row i of X no more than any other row does: check that the rows "
            "of both files are in the same order, and that no transformer in front of the linker "
            "changes X alone; unless the masking removed everything, the rate will be too low"
        )
    columns = in_other_units(X, Y) if standardize != "separate" else ()
    if len(columns):
        return (
            f"columns {list(map(int, columns))} of X and y are not in the same units (their "
            f"spread or location is far apart), and standardize={standardize!r} subtracts raw "
            'values: transform both files alike, or use standardize="separate"'
        )
    return None
