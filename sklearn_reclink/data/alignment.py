"""Whether two files look like a file and its masked version.

Rows that are not aligned, or a transformer in front of a linker, which scikit-learn applies to
``X`` alone, give a rate that is wrong and reassuringly low. Two symptoms are looked for.

*Unrelated rows.* ``r_k`` is the correlation of ``X_k`` and ``Y_k`` over aligned rows. With
unrelated rows ``sqrt(N) r_k`` is about standard normal. The files are called unrelated when
neither the largest ``r_k`` nor their sum stands out of that, for values and for ranks alike::

    max_k r_k < z_n / sqrt(N)     and     sum_k r_k < z_1 sqrt(n / N)

where ``n`` standard normals all stay below ``z_n`` with probability ``1 - level``, 0.975 for a
warning. What refuses files takes a smaller level, so that unrelated ones hardly ever pass: four
tests at ``level``, so with a probability of at most ``4 level``. Masking that leaves one
variable half recognisable passes the first test by far, and masking that blurs all of them at
once, such as microaggregation of many variables, passes the second.

A nominal variable has no correlation. With ``s`` the share of rows that agree and ``e`` the share
that would by chance, ``r_k = (s - e) / sqrt(e (1 - e))`` is about as large for unrelated rows.
Missing values take no part.

*Other units*, where differences are taken on raw values. Masking moves no variable by many
standard deviations nor multiplies its spread; averaging groups may shrink the spread of some
variables to almost nothing, but not of all. Moments and quartiles must agree on the symptom.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_reclink.data.views import powers_of_two

MIN_RECORDS = 20  # fewer rows cannot tell masked from unrelated
_LEVEL = 0.025
_SPREAD_RATIO = 20.0
_SHIFT = 5.0
TRANSFORM_BOTH = (
    'transform both files alike, for example with TransformedLinker, or use standardize="separate"'
)
UNRELATED_ROWS = (
    "row i of y resembles row i of X no more than any other row does: check that the rows "
    "of both files are in the same order, and that no transformer in front of the linker "
    "changes X alone (TransformedLinker transforms both files); unless the masking removed "
    "everything, the rate will be too low"
)


def correlations(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Correlation of every variable over aligned rows, (n_features,), NaN for a constant one."""
    scaled = (table / powers_of_two(table) for table in (X, Y))
    centred = [table - table.mean(axis=0) for table in scaled]
    norms = [np.sqrt((table**2).sum(axis=0)) for table in centred]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((centred[0] * centred[1]).sum(axis=0) / (norms[0] * norms[1]))


def agreement(x: np.ndarray, y: np.ndarray) -> float:
    """How much more often two columns of categories agree than by chance, as a correlation."""
    _, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    counts = [np.bincount(one, minlength=codes.max() + 1) for one in np.split(codes, 2)]
    chance = float(np.prod(counts, axis=0).sum()) / len(x) ** 2
    if not 0 < chance < 1:
        return np.nan
    return float((np.mean(x == y) - chance) / np.sqrt(chance * (1 - chance)))


def _resemblance(X: np.ndarray, Y: np.ndarray, kinds: Sequence[str]) -> np.ndarray:
    """``r_k`` of every variable of mixed files, scaled to ``N`` rows, NaN for a constant one."""
    found = np.full(X.shape[1], np.nan)
    for k, kind in enumerate(kinds):
        both = ~(np.isnan(X[:, k]) | np.isnan(Y[:, k]))
        if both.sum() >= MIN_RECORDS:
            x, y = X[both, k], Y[both, k]
            nominal = kind == "nominal"
            r = agreement(x, y) if nominal else correlations(x[:, None], y[:, None])[0]
            found[k] = r * np.sqrt(both.mean())
    return found


def unrelated(
    X: np.ndarray, Y: np.ndarray, kinds: Sequence[str] = (), level: float = _LEVEL
) -> bool:
    """Whether aligned rows resemble each other no more than rows drawn at random."""
    return len(X) >= MIN_RECORDS and _alike_by_chance(X, Y, kinds, level)


def too_few_to_tell(X: np.ndarray, Y: np.ndarray, kinds: Sequence[str] = ()) -> bool:
    """Whether a file is too small to be called unrelated, and does not look related either."""
    return len(X) < MIN_RECORDS and _alike_by_chance(X, Y, kinds, _LEVEL)


def _alike_by_chance(X: np.ndarray, Y: np.ndarray, kinds: Sequence[str], level: float) -> bool:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    noise = 1 / np.sqrt(len(X))
    mixed = "nominal" in kinds or bool(np.isnan(X).any() or np.isnan(Y).any())
    ranks = [rankdata(file, axis=0, nan_policy="omit") for file in (X, Y)]
    for a, b in ((X, Y), ranks):
        r = _resemblance(a, b, kinds) if mixed else correlations(a, b)
        r = r[np.isfinite(r)]
        if not len(r):
            return False
        highest, total = ndtri((1 - level) ** (1 / len(r))), ndtri(1 - level)
        if r.max() >= highest * noise or r.sum() >= total * noise * np.sqrt(len(r)):
            return False
    return True


def in_other_units(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Variables whose spread or location differs beyond any masking, (n_other,)."""
    if len(X) < MIN_RECORDS:
        return np.empty(0, dtype=np.intp)
    power = powers_of_two(X, Y)
    X, Y = X / power, Y / power
    moments = [(table.mean(axis=0), table.std(axis=0, ddof=1)) for table in (X, Y)]
    quartiles = [np.percentile(table, [25, 50, 75], axis=0) for table in (X, Y)]
    by_moments = _far_apart(*moments[0], *moments[1])
    (low, middle, high), (other_low, other_middle, other_high) = quartiles
    by_quartiles = _far_apart(middle, high - low, other_middle, other_high - other_low)
    far, shrunk = (a & b for a, b in zip(by_moments, by_quartiles, strict=True))
    return np.flatnonzero(far | (shrunk & (far | shrunk).all()))


def _far_apart(
    place: np.ndarray, spread: np.ndarray, other_place: np.ndarray, other_spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Variables of the masked file that lie elsewhere or are spread out, and that are shrunk."""
    known = (spread > 0) & (other_spread > 0)
    shift = np.abs(place - other_place) > _SHIFT * np.maximum(spread, other_spread)
    far = known & (shift | (other_spread > _SPREAD_RATIO * spread))
    shrunk = known & (other_spread * _SPREAD_RATIO < spread)
    return far, shrunk


def alignment_warning(
    X: np.ndarray, Y: np.ndarray, *standardize: str | None, kinds: Sequence[str] = ()
) -> str | None:
    """What to warn of before linking two files in some views, if anything."""
    if unrelated(X, Y, kinds):
        return UNRELATED_ROWS
    if {"separate", "rank"} & set(standardize):
        return None  # such a view does not mind the units
    return units_warning(X, Y, kinds)


def units_warning(
    X: np.ndarray,
    Y: np.ndarray,
    kinds: Sequence[str] = (),
    names: Sequence[str] | None = None,
    remedy: str = TRANSFORM_BOTH,
) -> str | None:
    """What to warn of where raw values are compared: variables in other units, if any."""
    numbers = np.flatnonzero(np.array(kinds or ["numeric"] * X.shape[1]) == "numeric")
    X, Y = X[:, numbers], Y[:, numbers]
    complete = ~(np.isnan(X).any(axis=1) | np.isnan(Y).any(axis=1))
    columns = numbers[in_other_units(X[complete], Y[complete])]
    if not len(columns):
        return None
    shown = columns.tolist() if names is None else [str(names[k]) for k in columns]
    return (
        f"columns {shown} of the two files are not in the same units (their spread or location is "
        f"far apart), and raw values are compared: {remedy}"
    )


def check_aligned_index(X: Any, Y: Any, name: str = "y") -> None:
    """Refuse two pandas objects whose indexes differ; errors call the second one by its name.

    Rows are aligned by position. Where both carry an index and the indexes disagree, either
    the order or the people differ, and any rate would be that of wrong pairs.
    """
    indexes: list[Any] = [getattr(table, "index", None) for table in (X, Y)]
    if not all(hasattr(index, "equals") for index in indexes) or len(X) != len(Y):
        return
    if not indexes[0].equals(indexes[1]):
        raise ValueError(
            f"X and {name} have different indexes: row i of {name} must belong to row i of X. Use "
            f"{name}.reindex(X.index) if the index identifies people, or reset_index(drop=True) on "
            "both if the rows are aligned by position"
        )
