"""What a release reveals about secret variables: the part of an audit on attribute disclosure.

Secret variables are not known to the intruder: no attacker links by them. The attacker that finds
the most people links everybody by the other variables, and the linked record, or the five nearest
together, reveal it. `metrics.attribute_disclosure` has the measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink.auditing._attack import Attack, linking_one_by_one
from sklearn_reclink.auditing._files import Files
from sklearn_reclink.auditing.formatting import (
    Table,
    aligned,
    bulleted,
    cell,
    percent,
    percent_given,
    quoted,
)
from sklearn_reclink.metrics import AttributeDisclosure, attribute_disclosure

NEIGHBORS = (1, 5)
FEWEST_ABSENT = 30  # people who can serve as the control


@dataclass(frozen=True)
class SecretDisclosure:
    """What a release reveals about one secret variable.

    Attributes
    ----------
    name : str
        The variable.
    results : tuple of AttributeDisclosure
        By the linked record, and by the nearest few together.
    """

    name: str
    results: tuple[AttributeDisclosure, ...]

    @property
    def worst(self) -> AttributeDisclosure:
        """The result with the largest risk; without a control, with the largest attack rate."""
        return max(self.results, key=lambda one: (one.risk or 0.0, one.attack.n_right))


def split_columns(names: Sequence[str], secret: Any) -> tuple[list[int], list[int]]:
    """Columns that the intruder knows, and secret ones."""
    given = [] if secret is None else [secret] if np.ndim(secret) == 0 else list(secret)
    whole = range(-len(names), len(names))
    wanted = [names[k] if k in whole else k for k in given]
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ValueError(
            f"secret names {unknown[0]!r}, which is not a column of both files: the columns are "
            f"{', '.join(map(repr, names))}"
        )
    known = [k for k, name in enumerate(names) if name not in wanted]
    if not known:
        raise ValueError(
            "all columns in use are secret: leave at least one that the intruder knows"
        )
    return known, [names.index(name) for name in dict.fromkeys(wanted)]


def without_secrets(files: Files, secret: Any) -> tuple[Files, Files]:
    """The files without their secret columns, and with these alone."""
    known, hidden = split_columns(files.names, secret)
    return files.with_columns(known) if hidden else files, files.with_columns(hidden)


def disclose(
    secrets: Files, attacks: Sequence[Attack], files: Files
) -> tuple[SecretDisclosure, ...]:
    """Let the attacker with the largest risk read secrets off the records that it links."""
    linker = linking_one_by_one(max(attacks, key=lambda one: (one.risk, one.n_found)).linker)
    variables, absent, found = secrets.variables, secrets.absent, []
    if absent is not None and len(absent) < FEWEST_ABSENT:
        absent = None
    for k, name in enumerate(secrets.names):
        columns = secrets.X[:, k], secrets.everyone[:, k]
        options: dict[str, Any] = {
            "pool": files.pool,
            "absent": None if absent is None else files.absent,
            "absent_secret": None if absent is None else absent[:, k],
            "categorical": variables is not None and variables.kinds[k] != "numeric",
        }
        results = [
            attribute_disclosure(linker, files.X, files.Y, *columns, n_neighbors=n, **options)
            for n in NEIGHBORS
        ]
        found.append(SecretDisclosure(name, tuple(results)))
    return tuple(found)


def secret_sentences(secret: SecretDisclosure, many: str) -> str:
    """What the worst result says, in words; ``many`` is the noun for the people."""
    found = secret.worst
    by = "linked record" if found.n_neighbors == 1 else f"{found.n_neighbors} nearest records"
    if not found.attack.n_tried:
        return f"{quoted(secret.name)} is missing in all records: there is nothing to reveal."
    ends = " to ".join(map(percent, found.attack.interval))
    text = (
        f"{quoted(secret.name)}: the {by} reveal{'s' * (found.n_neighbors == 1)} it for "
        f"{found.attack.n_right:,} of {found.attack.n_tried:,} {many} "
        f"({percent(found.attack.share)}, 95 % interval {ends}). One guess for all is right for "
        f"{percent(found.baseline.share)}."
    )
    if found.control is None or found.control.n_tried == 0:
        return text + f" Without {many} outside the release, there is no control."
    absent = found.control_people == "absent"
    who = "outside the release" if absent else "without their own record in the release"
    ends = " to ".join(map(percent, found.control.interval))
    text += f" Of {many} {who}, it is revealed for {percent(found.control.share)} ({ends})."
    if found.risk is None or found.risk_interval is None:
        return text + " So the release reveals it about everybody, in the release or not."
    low, high = found.risk_interval
    if low <= 0:
        return text + _no_difference(found)
    return (
        f"{text} So being in the release reveals {percent(found.risk)} (95 % interval "
        f"{percent(low)} to {percent(high)}) of what would otherwise stay unknown."
    )


def _no_difference(found: AttributeDisclosure) -> str:
    """What it means if the control does as well as the attack."""
    if found.control_people == "absent":
        return " Being in the release made no difference beyond chance."
    text = " Leaving out their own record made no difference beyond chance"
    beyond = found.over_baseline
    if beyond.risk is None or beyond.interval is None or beyond.interval[0] <= 0:
        return text + "."
    return (
        f"{text}, yet linking reveals {percent(beyond.risk)} of what one guess for all leaves "
        "open: either other variables predict it, or masking carried it over into other records."
    )


def control_note(secrets: Sequence[SecretDisclosure], many: str) -> str | None:
    """What the control cannot tell, where nobody is absent."""
    if not any(one.worst.control_people == "own record left out" for one in secrets):
        return None
    return (
        f"The control looks for the same {many} in the release without their own record. What the "
        "masking carried over into other records stays there, as with averages of groups or "
        "swapped values. Then the control is too high and the risk too low; compare with "
        f"the one guess for all. {many.capitalize()} that were never in the file make a "
        "better control."
    )


def success_note(secrets: Sequence[SecretDisclosure]) -> str:
    """When a guess counts as right."""
    shares = {one.worst.tolerance for one in secrets} - {None}
    text = "A guess of a category or level is right if it is the same."
    for share in sorted(filter(None, shares)):
        text += (
            f" A guess of a number is right if it is within {percent_given(share)} of the spread, "
            "which is the distance from the 5th to the 95th percentile of the true values."
        )
    return text


def secrets_table(secrets: Sequence[SecretDisclosure]) -> Table:
    """Header and rows of the shares guessed right."""
    header = ["secret", "nearest", "attack", "95 % interval", "baseline", "control"]
    header += ["95 % interval", "risk", "95 % interval", "rank correlation"]
    rows = []
    for secret in secrets:
        for one in secret.results:
            control = one.control if one.control is not None and one.control.n_tried else None
            rows.append(
                [
                    secret.name,
                    f"{one.n_neighbors}",
                    percent(one.attack.share) if one.attack.n_tried else "-",
                    _between(one.attack.interval),
                    percent(one.baseline.share) if one.attack.n_tried else "-",
                    "-" if control is None else percent(control.share),
                    "-" if control is None else _between(control.interval),
                    cell(one.risk, signed),
                    cell(one.risk_interval, _between),
                    cell(one.rank_correlation, "{:.2f}".format),
                ]
            )
    return header, rows


def secrets_text(secrets: Sequence[SecretDisclosure], many: str) -> list[str]:
    """The sentences and the table for a terminal; nothing without secrets."""
    if not secrets:
        return []
    texts = [secret_sentences(one, many) for one in secrets]
    notes = [success_note(secrets), control_note(secrets, many)]
    listed = bulleted([*texts, *filter(None, notes)])
    return ["Secrets\n" + listed, aligned(*secrets_table(secrets))]


def secrets_as_dict(secrets: Sequence[SecretDisclosure]) -> list[dict[str, Any]]:
    """All numbers."""
    return [
        {
            "secret": secret.name,
            "n_neighbors": one.n_neighbors,
            "tolerance": one.tolerance,
            "attack": one.attack.to_dict(),
            "baseline": one.baseline.to_dict(),
            "control": None if one.control is None else one.control.to_dict(),
            "control_people": one.control_people,
            "risk": one.risk,
            "risk_interval_95": None if one.risk_interval is None else list(one.risk_interval),
            "rank_correlation": one.rank_correlation,
        }
        for secret in secrets
        for one in secret.results
    ]


def signed(share: float) -> str:
    """A share in percent, which may be below 0."""
    return percent(share) if share >= 0 else "−" + percent(-share)


def _between(interval: tuple[float, float]) -> str:
    return " to ".join(map(signed, interval))
