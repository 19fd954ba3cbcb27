"""Columns that masking left as they were, or emptied: the first findings of an audit.

Of a column, ``x`` are the original values that are not missing and ``y`` their masked versions. A
missing ``y`` is a change. ``s`` is the share of rows with ``y = x``, and ``e`` the share that would
agree by chance if the masked values were dealt out at random. The column alone *singles out* the
share ``q`` of the rows whose own masked value is strictly the nearest of all to ``x``.

=================  ================================================================================
kind               meaning
=================  ================================================================================
unchanged          ``s = 1``
nearly unchanged   ``s >= 0.9`` and ``(s - e) / (1 - e) >= 0.8``: chance does not explain it;
                   or, for numbers, ``q >= 0.5``: the errors are small beside the gaps between
                   records, and the column alone singles out every second one
constant           all masked values are equal and none is missing, the original ones are not equal
emptied            all masked values are missing, not all original ones are
=================  ================================================================================

A column that is constant in the original tells nothing, and nothing is said about it. If all its
present values are equal, missing counts as a second value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.auditing.formatting import MOST_LISTED, listed, percent, quoted

_WORDS = {  # of one column and of several
    "unchanged": ("is released unchanged", "are released unchanged"),
    "nearly unchanged": ("is nearly unchanged", "are nearly unchanged"),
    "constant": (
        "has one and the same value in the whole release",
        "have one and the same value in the whole release",
    ),
    "emptied": ("is empty in the release", "are empty in the release"),
}
KINDS = tuple(_WORDS)
_SAME = 0.9
_BEYOND_CHANCE = 0.8
_SINGLED_OUT = 0.5


@dataclass(frozen=True)
class Finding:
    """What masking did to one column.

    Attributes
    ----------
    kind : {"unchanged", "nearly unchanged", "constant", "emptied"}
        What was found.
    column : str
        Name of the column.
    sentence : str
        The same in words.
    unchanged : float
        Share of its values that are as in the original.
    singled_out : float or None
        Share of the records that the column alone singles out; None for categories.
    """

    kind: str
    column: str
    sentence: str
    unchanged: float
    singled_out: float | None

    @property
    def exposes(self) -> bool:
        """Whether the column gives its records away as if it were not masked."""
        return self.kind in ("unchanged", "nearly unchanged")


def column_findings(
    X: np.ndarray, Y: np.ndarray, names: Sequence[str], nominal: Sequence[int] = ()
) -> tuple[Finding, ...]:
    """What masking left unchanged, made constant or emptied, the worst first."""
    found = [_finding(X[:, k], Y[:, k], name, k in nominal) for k, name in enumerate(names)]
    some = [one for one in found if one is not None]
    return tuple(sorted(some, key=lambda one: KINDS.index(one.kind)))


def _finding(x: np.ndarray, y: np.ndarray, name: str, nominal: bool) -> Finding | None:
    known = ~np.isnan(x)
    present = x[known]
    if not len(present) or (known.all() and (x == x[0]).all()):
        return None
    is_empty, is_constant = bool(np.isnan(y).all()), bool((y == y[0]).all())
    kept = ~np.isnan(y)
    if (present == present[0]).all():
        x, y = (np.where(np.isnan(values), np.inf, values) for values in (x, y))
        known, nominal = np.ones(len(x), dtype=bool), True
    x, y, kept = x[known], y[known], kept[known]
    same = float(np.mean(x == y))
    kind, detail, alone = "nearly unchanged", "", None
    if is_empty:
        kind = "emptied"
    elif is_constant:
        kind = "constant"
    else:
        if not nominal and kept.any():
            alone = singled_out(x[kept], y[kept]) * float(kept.mean())
        if same == 1:
            kind = "unchanged"
        elif same >= _SAME and _beyond_chance(x, y, same) >= _BEYOND_CHANCE:
            detail = f": {percent(same)} of its values are as in the original"
        elif alone is not None and alone >= _SINGLED_OUT:
            detail = ": its masked value alone is nearest to the right record for "
            detail += f"{percent(alone)} of the records"
        else:
            return None
    return Finding(kind, name, f"{quoted(name)} {_WORDS[kind][0]}{detail}.", same, alone)


def _beyond_chance(x: np.ndarray, y: np.ndarray, same: float) -> float:
    """``(s - e) / (1 - e)``: agreement beyond chance (Cohen's kappa)."""
    values, codes = np.unique(np.concatenate([x, y[~np.isnan(y)]]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(values)) for part in np.split(codes, [len(x)])]
    chance = float(np.prod(np.array(counts) / len(x), axis=0).sum())
    return (same - chance) / (1 - chance)


def singled_out(x: np.ndarray, y: np.ndarray) -> float:
    """Share of the rows whose own ``y`` is strictly nearer to ``x`` than every other.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing._findings import singled_out
    >>> singled_out(np.array([0.0, 1.0, 2.0, 9.0]), np.array([0.1, 1.5, 1.5, 8.0]))
    0.5
    """
    values, place, counts = np.unique(y, return_inverse=True, return_counts=True)
    padded = np.concatenate([[-np.inf], values, [np.inf]])
    gap = np.abs(x - y)
    below, above = np.abs(x - padded[place]), np.abs(padded[place + 2] - x)
    return float(np.mean((counts[place] == 1) & (gap < below) & (gap < above)))


def finding_sentences(findings: Sequence[Finding]) -> list[str]:
    """The findings in words, columns of a kind in one sentence."""
    texts = []
    for kind in KINDS:
        some = [one for one in findings if one.kind == kind]
        if len(some) == 1:
            texts += [one.sentence for one in some]
        elif some:
            texts.append(_of_several(kind, some))
    return texts


def _of_several(kind: str, some: Sequence[Finding]) -> str:
    names = [quoted(one.column) for one in some[:MOST_LISTED]]
    if kind == "nearly unchanged":
        names = [
            f"{name} ({percent(one.unchanged)} as in the original)"
            if one.unchanged >= _SAME
            else f"{name} (alone nearest to the right record for {percent(one.singled_out or 0)})"
            for name, one in zip(names, some, strict=False)
        ]
    more = len(some) - len(names)
    names += [f"{more:,} more"] * (more > 0)
    return f"{len(some):,} columns {_WORDS[kind][1]}: {listed(names)}."
