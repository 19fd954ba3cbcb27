"""A search for a masking as text for a terminal and as data for JSON; no value of any record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing._output import SCHEMA_VERSION
from sklearn_reclink.auditing.formatting import (
    aligned,
    bulleted,
    listed,
    percent,
    percent_given,
    wrapped,
)
from sklearn_reclink.auditing.protection.trials import LEFT_OPEN, REJECTED, ROUNDING, Trial

if TYPE_CHECKING:
    from sklearn_reclink.auditing.protection.result import Protection

MOST_ROWS = 15


def protection_text(found: Protection) -> str:
    """The choice, why it was made and the best maskings that were tried."""
    parts = [
        wrapped(headline(found)),
        "How sure is that?\n" + bulleted(how_sure(found)),
        "Why this masking?\n" + bulleted(why(found)),
        "Maskings tried\n" + aligned(*trials_table(found)),
    ]
    return "\n\n".join(parts)


def headline(found: Protection) -> str:
    """What to release, and what is found in it."""
    one, target = found.chosen, percent_given(found.max_risk)
    if found.unsettled:
        return (
            f"No masking is shown to be within the target of {target}. The attackers that were "
            f"tried find {percent(one.risk or 0.0)} in {one.name}, but not every attacker was "
            f"tried. {_what_to_try(found)}"
        )
    if not found.feasible:
        return " ".join([_none_found(found), _least_risk(found), _remedy(found)])
    if one.change == 0:
        return f"{_as_it_is(found)} The target is {target}."
    if one.risk is None:
        return (
            f"The release is masked by {one.name}: no attacker finds more than "
            f"{percent(one.bound)} of the {found.unit} on average. The target is {target}."
        )
    return (
        f"The release is masked by {one.name}: the strongest attacker finds {percent(one.risk)} of "
        f"the {found.unit}. The target is {target}."
    )


def _what_to_try(found: Protection) -> str:
    """What to do if not every attacker was tried."""
    if found.audit is None or found.audit.out_of_time:
        return "Try a longer time limit."
    titles = listed([one.title for one in found.audit.missing])
    return f"The file is too large for {titles}: choose other attackers."


def _as_it_is(found: Protection) -> str:
    """That nothing needs to be masked."""
    one = found.chosen
    text = "No masking is needed: the release equals the original in the columns to be masked. "
    if one.risk is None:
        return f"{text}No attacker finds more than {percent(one.bound)} of the {found.unit} in it."
    return f"{text}The strongest attacker finds {percent(one.risk)} of the {found.unit} in it."


def _none_found(found: Protection) -> str:
    target = percent_given(found.max_risk)
    if found.settings["proven"]:
        return f"No masking was found that is proven to be within the target of {target}."
    return f"No masking within the target of {target} was found."


def _least_risk(found: Protection) -> str:
    """What is found in the masking named, or at least found."""
    one = found.chosen
    risk = percent(one.risk or 0.0)
    if one.is_lower_bound:
        return (
            f"In {one.name}, at least {risk} of the {found.unit} are found. Not every attacker was "
            "tried on it, since the time limit ended, so the risk may be much higher."
        )
    if sum(trial.in_full for trial in found.trials) < 2:
        return f"An audit of {one.name} finds a risk of {risk}."
    return f"Of the maskings audited in full, {one.name} has the lowest risk: {risk}."


def _remedy(found: Protection) -> str:
    """What may help."""
    if found.max_risk + ROUNDING < found.random_guess:
        return (
            f"No masking can be within it: a random guess finds one of {found.n_records:,} "
            f"{found.unit} on average, which is {percent(found.random_guess)}. Choose a higher "
            "target."
        )
    options = ["a higher target", "fewer columns"]
    if found.settings["proven"]:
        options.append("a search that asks for no proof")
    if not found.complete:
        options.append("a longer time limit")
    text = f"{', '.join(options[:-1])} or {options[-1]} may help."
    if found.complete:
        text += " More time would not: every masking was compared."
    return text[0].upper() + text[1:]


def how_sure(found: Protection) -> list[str]:
    """What is proven, what was tried, and what neither covers."""
    one, sentences = found.chosen, []
    if found.is_proven:
        different = round(one.bound * found.n_records)
        sentences.append(
            f"Proven: of the {found.n_records:,} released rows only {different:,} are "
            f"distinct, so no attacker of any kind finds more than {percent(one.bound)} of the "
            f"{found.unit} on average."
        )
    else:
        sentences.append("No proof covers every kind of attacker: others might find more.")
    bound = found.monotone_bound
    if not found.is_proven and bound is not None:
        sentences.append(
            f"Proven: no weighted mean, OWA or Choquet distance finds more than "
            f"{percent(bound)} of the {found.unit}."
        )
    if found.audit is not None:
        n_tried = len(found.audit.attacks)
        tried = f"{n_tried} attacker{'s' * (n_tried != 1)}"
        sentences.append(
            f"An audit with {tried} confirms that the risk is within the target. The "
            "risk is the larger of the share singled out and the share found on average by "
            "guessing among ties."
            if found.feasible
            else f"The audit tried {tried}."
        )
        for attacker, reason in found.audit.skipped.items():
            sentences.append(f"{attacker.title} did not run on the whole file: {reason}.")
    if not found.is_proven and found.feasible and found.reserve > 0:
        sentences.append(
            f"A longer search may find a few {found.unit} more, so {percent_given(found.reserve)} "
            "of the target was kept in reserve."
        )
    return sentences


def why(found: Protection) -> list[str]:
    """Why the masking was chosen, and what the alternatives lose."""
    one = found.chosen
    families = {trial.family for trial in found.trials}
    n_attacked = sum(trial.risk is not None for trial in found.trials)
    sentences = [
        f"{len(found.trials):,} maskings of {len(families)} kinds were compared, and "
        f"{n_attacked:,} of them {'was' if n_attacked == 1 else 'were'} attacked."
    ]
    if found.feasible:
        less = [
            trial
            for trial in found.trials
            if trial.outcome in LEFT_OPEN and trial.information_loss < one.information_loss
        ]
        known = "known to be within the target" if less else "that may be within the target"
        sentences.append(
            f"It loses {percent(one.information_loss)} of the information: no other masking "
            f"{known} loses clearly less. Of those that lose as much, it changes values the "
            f"least: by {one.change:.2f} on average, in units of √2 standard "
            "deviations."
        )
        sentences.append(
            "Information loss is about the file as a whole. Results for small groups of "
            f"{found.unit} and single values may change more: compare those that matter."
        )
        if less:
            n_open = f"{len(less):,} masking{'s' * (len(less) != 1)}"
            sentences.append(
                f"The time limit left {n_open} open that would lose less, such as {less[0].name} "
                f"({percent(less[0].information_loss)}). A longer search may choose it."
            )
    other = found.best_groups
    if other is not None and other.name != one.name:
        sentences.append(
            "Microaggregation of all variables together loses "
            f"{percent(other.information_loss)} ({other.name})."
        )
    proven = found.best_proven
    if proven is not None and not found.is_proven:
        sentences.append(
            f"A masking that is proven against every attacker loses "
            f"{percent(proven.information_loss)} ({proven.name}): ask for proven maskings only to "
            "choose it."
        )
    if found.refused:
        reasons = dict.fromkeys(found.refused.values())
        sentences += [f"Some maskings do not apply to the file: {text}." for text in reasons]
    return sentences


def trials_table(found: Protection) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the maskings attacked, and of the best ones proven without an attack."""
    header = ["masking", "lost", "change", "risk", "attacker", "proven: at most", "outcome"]
    return header, [
        [
            one.name,
            percent(one.information_loss),
            f"{one.change:.2f}",
            _risk_text(one),
            one.attacker or "-",
            percent(one.bound) if one.bound < 1 else "-",
            "chosen, " + one.outcome if one.name == found.chosen.name else one.outcome,
        ]
        for one in shown(found)
    ]


def shown(found: Protection) -> list[Trial]:
    """The trials worth showing: attacked, or the least lossy of a family that is proven."""
    best: dict[str, Trial] = {}
    for one in found.trials:
        if one.risk is None and one.is_proven(found.max_risk):
            best.setdefault(one.family, one)
    wanted = [one for one in found.trials if one.risk is not None or one in best.values()]
    first = [one for one in wanted if one.name == found.chosen.name or one.outcome != REJECTED]
    others = [one for one in wanted if one not in first]
    kept = (first + others)[:MOST_ROWS]
    return [one for one in found.trials if one in kept]


def _risk_text(one: Trial) -> str:
    if one.risk is None:
        return "-"
    return ("≥ " if one.is_lower_bound else "") + percent(one.risk)


def protection_as_dict(found: Protection) -> dict[str, Any]:
    """The numbers of a search."""
    from sklearn_reclink._version import __version__

    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "protection",
        "version": __version__,
        "headline": headline(found),
        "how_sure": how_sure(found),
        "why": why(found),
        "max_risk": found.max_risk,
        "reserve": found.reserve,
        "n_records": found.n_records,
        "feasible": found.feasible,
        "unsettled": found.unsettled,
        "complete": found.complete,
        "proven": found.is_proven,
        "chosen": _as_dict(found.chosen) | {"masker": repr(found.chosen.masker)},
        "frontier": [one.name for one in found.frontier],
        "maskings": [_as_dict(one) for one in found.trials],
        "refused": found.refused,
        "settings": found.settings,
        "audit": None if found.audit is None else found.audit.to_dict(),
    }


def _as_dict(one: Trial) -> dict[str, Any]:
    return {
        "name": one.name,
        "family": one.family,
        "information_loss": one.information_loss,
        "change": one.change,
        "risk": one.risk,
        "risk_is_lower_bound": one.is_lower_bound,
        "attacker": one.attacker or None,
        "bound_of_every_attacker": one.bound,
        "bound_of_monotone_distances": one.monotone_bound,
        "outcome": one.outcome,
    }
