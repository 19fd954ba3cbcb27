"""What the audit of an unaligned release says: words, tables and data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.auditing._attributes import secrets_as_dict, secrets_text, signed
from sklearn_reclink.auditing._output import head
from sklearn_reclink.auditing.formatting import (
    aligned,
    bulleted,
    judged_by,
    percent,
    percent_given,
    wrapped,
)

if TYPE_CHECKING:
    from sklearn_reclink.auditing._unaligned import Measure, UnalignedAudit
    from sklearn_reclink.metrics import Excess, SuccessRate

_PERCENTILES = (5, 50)

Table = tuple[list[str], list[list[str]]]

NO_TRUTH = (
    "No row of the release is known to belong to anybody, so nobody can be found in it. No links "
    "are counted, and no rate of re-identification is given."
)


@dataclass(frozen=True)
class UnalignedVerdict:
    """What the first screen says: a level as of `Verdict`, and sentences."""

    level: str
    headline: str
    how_sure: list[str]
    not_concluded: list[str]


def unaligned_verdict(audit: UnalignedAudit) -> UnalignedVerdict:
    """What the first screen says."""
    level = "some" if audit.beyond_chance or audit.n_holdout is None else "none"
    if audit.limit is not None and (audit.above_limit or audit.n_holdout is not None):
        level = "above" if audit.above_limit else "some" if audit.unsettled else "below"
    return UnalignedVerdict(level, headline(audit), how_sure(audit), not_concluded(audit))


def headline(audit: UnalignedAudit) -> str:
    """Whether the release is nearer to the people it was made from."""
    file, many, largest = audit.masked_name, audit.unit.many, audit.largest
    total = f"{audit.n_records:,} {many}"
    if largest is None:
        text = f"The risk is not known: {file} also holds every record of the holdout."
    elif audit.n_holdout is None:
        copied, share = audit.nearest.unique_copied, audit.nearest.identifiable.share
        text = (
            f"{copied.n_right:,} of {total} are unique and copied exactly in {file}, and "
            f"{percent(share)} are nearer to it than to any other original, where new draws would "
            f"give {percent(audit.nearest.identifiable_expected)}."
        )
        if not audit.beyond_chance:
            text += " Without a holdout this does not show that the release is safe."
    elif audit.beyond_chance:
        words = "copied exactly" if largest.name.startswith("copied") else "near to it"
        text = (
            f"The release gives {many} away: {file} is nearer to the {total} it was made from than "
            f"to the {audit.n_holdout:,} others of the holdout. The excess of those {words} is "
            f"{percent(audit.risk)} (95 % interval {_between(largest.interval)})."
        )
    else:
        text = (
            f"Beyond chance, {file} is no nearer to the {total} it was made from than to "
            f"{audit.n_holdout:,} others: the excess is {percent(audit.risk)} (95 % interval "
            f"{_between(largest.interval)})."
        )
    if audit.unsettled:
        text += f" It is not shown to be within the limit of {percent_given(audit.limit or 0.0)}."
    elif audit.limit is not None:
        side = "above" if audit.above_limit else "within"
        text += f" The risk of {percent(audit.risk)} is {side} the limit of "
        text += f"{percent_given(audit.limit)}."
    return text


def how_sure(audit: UnalignedAudit) -> list[str]:
    """What the risk is, and what was counted."""
    found, many, texts = audit.nearest, audit.unit.many, [gate(audit)]
    if audit.left_out:
        judged = judged_by(audit.names, audit.left_out)
        texts.append(f"{judged} With the others, more records may be copied or near.")
    copied = found.copied_share
    text = f"Copied exactly: {copied.n_right:,} of {audit.n_records:,} {many}"
    if found.copied_excess is not None:
        control = found.copied_excess.control
        text += f", and {control.n_right:,} of {control.n_tried:,} of the holdout"
    texts.append(text + ".")
    if found.near is not None and found.nearer is not None:
        middle, low, high = found.nearer
        texts.append(
            f"Near: {_count(found.near.attack)} {many}, and {_count(found.near.control)} of the "
            f"holdout. Of two drawn at random, the original is the nearer one in "
            f"{percent(middle)} of the cases (95 % interval {percent(low)} to {percent(high)}); "
            "50 % would mean no difference."
        )
    single = audit.singling_out
    if single.attack.n_tried:
        text = (
            f"Singled out: {_count(single.attack)} description{'s' * (single.attack.n_tried != 1)} "
            f"of {single.n_columns} variable{'s' * (single.n_columns != 1)} "
            f"that fit{'s' * (single.attack.n_tried == 1)} one record of the release "
            f"fit{'s' * (single.attack.n_tried == 1)} exactly one of {single.n_people:,} originals"
        )
        if single.control is not None:
            text += f", and {single.control.n_right:,} exactly one of as many of the holdout"
        texts.append(text + ".")
    return texts


def gate(audit: UnalignedAudit) -> str:
    """Which number is compared with a limit."""
    if audit.largest is None:
        return (
            "The risk would be the excess over the holdout. There is none to measure where every "
            "record of the holdout is in the release."
        )
    if audit.n_holdout is None:
        return (
            f"The risk is {percent(audit.risk)}: the larger of the share who are unique and copied "
            "exactly, and of the excess of those nearer to the release than to any other original "
            "over what new draws from the population would give."
        )
    return (
        f"The risk is {percent(audit.risk)}: the larger of the excess of {audit.unit.many} copied "
        "exactly and of the excess of those near to the release, which means nearer than 95 % of "
        "the holdout. An excess is (originals - holdout) / (1 - holdout)."
    )


def not_concluded(audit: UnalignedAudit) -> list[str]:
    """What the files cannot show."""
    texts = [NO_TRUTH]
    if audit.n_holdout is None:
        texts.append(
            f"Without a holdout nobody can tell whether {audit.unit.many} are near to the "
            "release because it copies them or because many others are alike. Give records of the "
            "same population that the release was not made from. A part of the original file "
            "cannot serve, because the release was made from all of it."
        )
        texts.append(
            "A release of poor quality is far from everybody, even if some are nearly copied. So a "
            "low share of those nearer to the release proves nothing."
        )
    else:
        texts.append(
            "This holds only if the holdout is of the same population and took no part in making "
            "the release."
        )
    return texts


def measures_table(audit: UnalignedAudit) -> Table:
    """Header and rows of all measures, of originals and of the holdout."""
    found, single = audit.nearest, audit.singling_out
    header = ["measure", "originals", "control", "excess", "95 % interval"]
    rows = [
        _compared("copied exactly", found.copied_share, found.copied_excess),
        _compared("unique and copied", found.unique_copied, None),
    ]
    if found.near is not None:
        rows.append(_compared("near", found.near.attack, found.near))
    if single.attack.n_tried:
        rows.append(_compared("singled out", single.attack, single.excess))
    middle, low, high = found.identifiable_excess
    rows.append(
        [
            "identifiable",
            percent(found.identifiable.share),
            percent(found.identifiable_expected),
            signed(middle),
            _briefly_between((low, high)),
        ]
    )
    columns = {
        "DCR": (found.distance, found.holdout_distance),
        "NNDR": (found.ratio, found.holdout_ratio),
    }
    for name, (originals, holdout) in columns.items():
        for place in _PERCENTILES:
            label = "median" if place == 50 else f"{place}th percentile"
            values = [
                "-" if one is None else f"{np.percentile(one, place):.3f}"
                for one in (originals, holdout)
            ]
            rows.append([f"{name}, {label}", *values, "-", "-"])
    return header, rows


def as_text(audit: UnalignedAudit) -> str:
    """The verdict and the tables for a terminal."""
    words = unaligned_verdict(audit)
    parts = [
        wrapped(words.headline),
        "How sure is that?\n" + bulleted(words.how_sure),
        "What cannot be concluded\n" + bulleted(words.not_concluded),
        "Measures\n" + aligned(*measures_table(audit)),
        *secrets_text(audit.secrets, audit.unit.many),
    ]
    return "\n\n".join(parts)


def as_dict(audit: UnalignedAudit) -> dict[str, Any]:
    """The numbers of an audit."""
    found, single, words = audit.nearest, audit.singling_out, unaligned_verdict(audit)
    return {
        **head(audit, "unaligned"),
        "n_released": audit.n_released,
        "n_holdout": audit.n_holdout,
        "variables": list(audit.names),
        "left_out": list(audit.left_out),
        "verdict": asdict(words),
        "unit": asdict(audit.unit),
        "risk": audit.risk,
        "risk_is": None if audit.largest is None else audit.largest.name,
        "risk_measures": [_measure(one) for one in audit.measures],
        "limit": audit.limit,
        "above_limit": audit.above_limit,
        "unsettled": audit.unsettled,
        "copied": found.copied_share.to_dict(),
        "unique_and_copied": found.unique_copied.to_dict(),
        "copied_beyond_holdout": _optional(found.copied_excess),
        "near_beyond_holdout": _optional(found.near),
        "nearer_than_holdout": None if found.nearer is None else _with_ends(found.nearer),
        "identifiable": {
            **found.identifiable.to_dict(),
            "expected": found.identifiable_expected,
            "excess": _with_ends(found.identifiable_excess),
        },
        "distance_to_closest_record": _percentiles(found.distance, found.holdout_distance),
        "nearest_neighbour_distance_ratio": _percentiles(found.ratio, found.holdout_ratio),
        "singling_out": {
            "n_columns": single.n_columns,
            "n_people": single.n_people,
            "attack": single.attack.to_dict(),
            "beyond_holdout": _optional(single.excess),
        },
        "secrets": secrets_as_dict(audit.secrets),
        "notes": list(audit.notes),
        "settings": audit.settings,
    }


def _compared(name: str, rate: SuccessRate, excess: Excess | None) -> list[str]:
    if excess is None:
        return [name, percent(rate.share), "-", "-", "-"]
    risk, interval = excess.risk, excess.interval
    shown = (
        ["-", "-"]
        if risk is None or interval is None
        else [signed(risk), _briefly_between(interval)]
    )
    return [name, percent(rate.share), percent(excess.control.share), *shown]


def _between(interval: Sequence[float]) -> str:
    return " to ".join(map(signed, interval))


def _briefly_between(interval: Sequence[float]) -> str:
    return _between(interval).replace(" % to ", " to ")


def _count(rate: SuccessRate) -> str:
    return f"{rate.n_right:,} of {rate.n_tried:,}"


def _measure(one: Measure) -> dict[str, Any]:
    return {"name": one.name, "value": one.value, "interval_95": list(one.interval)}


def _optional(excess: Excess | None) -> dict[str, Any] | None:
    return None if excess is None else excess.to_dict()


def _with_ends(found: tuple[float, float, float]) -> dict[str, Any]:
    return {"value": found[0], "interval_95": list(found[1:])}


def _percentiles(originals: np.ndarray, holdout: np.ndarray | None) -> dict[str, Any]:
    return {
        who: None
        if one is None
        else {f"percentile_{place}": float(np.percentile(one, place)) for place in _PERCENTILES}
        for who, one in (("originals", originals), ("holdout", holdout))
    }
