"""The verdict in plain words: how many people are at risk, how sure that is, what to protect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn_reclink.auditing._attack import Attack, HeldOut
from sklearn_reclink.auditing._findings import finding_sentences
from sklearn_reclink.auditing.formatting import (
    first_few,
    judged_by,
    listed,
    percent,
    percent_given,
    quoted,
)

if TYPE_CHECKING:
    from sklearn_reclink.auditing._remedies import Remedy
    from sklearn_reclink.auditing._result import Audit


@dataclass(frozen=True)
class Verdict:
    """What the first screen of a report says.

    Attributes
    ----------
    level : {"none", "some", "above", "below"}
        Nobody is at risk beyond a random guess, somebody is, or the risk compared with a limit.
    headline : str
        How many people are at risk.
    findings : list of str
        Columns that masking left as they were, or emptied.
    how_sure : list of str
        How sure that is.
    what_to_protect : list of str
        What to do about it.
    """

    level: str
    headline: str
    findings: list[str]
    how_sure: list[str]
    what_to_protect: list[str]


def verdict(audit: Audit) -> Verdict:
    """What an audit says, in words."""
    level = "none" if audit.at_chance else "some"
    if audit.limit is not None:
        level = "above" if audit.above_limit else "some" if audit.unsettled else "below"
    first = finding_sentences(audit.findings)
    return Verdict(level, headline(audit), first, certainty(audit), advice(audit))


def headline(audit: Audit) -> str:
    """How many people are at risk, strictly and with guesses, in two or three sentences."""
    total, file, unit = audit.n_records, audit.masked_name, audit.unit
    guessed = round(audit.expected_rate * total) - round(audit.strict_rate * total)
    many = f"{total:,} {unit.many}"
    if audit.at_chance:
        n_tried = len(audit.attacks)
        who = f"any of the {n_tried} attackers that were" if n_tried > 1 else "the one attacker"
        text = f"None of the {many} is singled out in {file} by {who} tried, and guesses among "
        text += "equally near records do no better than a random guess among all records."
    elif audit.strict_rate == 0:
        text = f"None of the {many} is singled out in {file}, but an intruder who picks one of the "
        text += f"nearest records at random would be right for {_about(audit)}."
    else:
        text = "An intruder who knows the original values would find "
        text += f"{_strictly(audit)} in {file}."
        if guessed >= 1:
            text += " One who also guesses among equally near records would be right for "
            text += f"{_about(audit)}."
    by_sweep = audit.sweep_risk > audit.strongest.risk
    if by_sweep:
        text += " The sweep over what an intruder knows finds more: "
        text += f"{percent(audit.sweep_risk)} of the {unit.many}, guesses among ties included."
    if audit.limit is not None:
        shown, limit = percent(audit.risk), percent_given(audit.limit)
        side = "above" if audit.above_limit else "within"
        side = "just above" if audit.above_limit and shown == percent(audit.limit) else side
        is_told = guessed < 1 and not by_sweep and shown == percent(audit.strict_rate)
        is_told &= audit.above_limit or not _may_find_more(audit)
        text += f" {'This' if is_told else f'A risk of {shown}'} is {side} the limit of {limit}"
        text += ", but not every attacker was tried." if audit.unsettled else "."
    return text


def _strictly(audit: Audit) -> str:
    """The largest number found without guessing; "at least" if more may be found."""
    total, estimate, worst = audit.n_records, audit.estimate, audit.worst
    if estimate is not None and estimate.rate > worst.rate:
        low, high = map(percent, estimate.interval)
        return (
            f"about {percent(estimate.rate)} of the {total:,} {audit.unit.many} (between {low} and "
            f"{high}, estimated on {audit.unit.count(len(estimate.rows))})"
        )
    at_least = "at least " * _may_find_more(audit)
    return f"{at_least}{worst.n_found:,} of {total:,} {audit.unit.many} ({percent(worst.rate)})"


def _may_find_more(audit: Audit) -> bool:
    """Whether a bound is above the number found, or an attacker was not tried in full."""
    bounds = [audit.monotone_bound, *(one.bound or 0 for one in audit.attacks)]
    in_part = bool(audit.untried) or any(one.status == "sampled" for one in audit.attacks)
    return audit.worst.n_found < max(bounds) or (in_part and audit.worst.rate < 1)


def _about(audit: Audit) -> str:
    """The number right on average with guesses among ties, by the strongest attacker."""
    one, total, unit = audit.strongest, audit.n_records, audit.unit
    text = f"about {round(one.risk * total):,} of {total:,} {unit.many} ({percent(one.risk)}"
    if isinstance(one, HeldOut):
        low, high = map(percent, one.expected_interval)
        text += f", between {low} and {high}, estimated on {unit.count(len(one.rows))}"
    return f"{text})"


def certainty(audit: Audit) -> list[str]:
    """What was compared, what is proven, what is estimated, and what guessing would give."""
    texts, unit = [], audit.unit
    total, estimate = audit.n_records, audit.estimate
    if audit.left_out:
        judged = judged_by(audit.names, audit.left_out)
        texts.append(f"{judged} An intruder who also knows the others may find more.")
    if audit.out_of_time:
        titles = listed([one.title for one in audit.out_of_time])
        texts.append(
            f"Not tried, because time or memory ran out: {titles}. They may find more: try a "
            "longer time limit."
        )
    if too_large := [one for one in audit.untried if one not in audit.out_of_time]:
        titles = listed([one.title for one in too_large])
        texts.append(
            f"Not tried, because the file is too large: {titles}. It is not known what "
            f"{'they' if len(too_large) > 1 else 'this attacker'} would find."
        )
    if estimate is not None:
        low, high = map(percent, estimate.interval)
        n_sought = len(estimate.rows)
        sought = "the others" if n_sought == total else f"{n_sought:,} others"
        ties = ""
        if (estimate.expected_rate - estimate.rate) * n_sought >= 1:
            ties = f", and {percent(estimate.expected_rate)} with guesses among ties"
        texts.append(
            f"Tested on {unit.many} not seen: an intruder who knows {unit.count(estimate.n_train)} "
            f"in both files finds {percent(estimate.rate)} of {sought} (95 % interval {low} to "
            f"{high}){ties}, each among all {estimate.n_pool:,} masked records. A random guess "
            f"finds 1 in {audit.n_masked:,}."
        )
    texts.append(proven(audit))
    if (audit.expected_rate - audit.strict_rate) * total >= 1:
        texts.append(
            f"Ties: some {unit.many} are not counted as found because another masked record is "
            "exactly as near as their own. An intruder who picks one of the nearest at random "
            f"would be right for about {unit.count(round(audit.expected_rate * total))} "
            f"({percent(audit.expected_rate)}). The risk counts these guesses."
        )
    return texts


def proven(audit: Audit) -> str:
    """The bound that holds for every distance of a kind."""
    total, bound, unit = audit.n_records, audit.monotone_bound, audit.unit
    # the Euclidean distance takes another cost for every value: it is no weighted mean then
    costs = " with a fixed cost for each missing value" * audit.has_missing
    kind = (
        f"any weighted mean, OWA or Choquet distance{costs}, learned or not, in any of three "
        "standardisations (each file by itself, by the changes that masking made, by ranks)"
    )
    text = f"Proven: at most {unit.count(bound)} ({percent(bound / total)}) can be found by {kind}."
    if bound == 0:
        text = f"Proven: no {unit.one} can be singled out by {kind}."
    elif bound == total:
        text = f"Nothing is excluded by proof: each of the {total:,} {unit.many} could be found."
    bounds = [one.bound for one in audit.attacks if one.attacker.name == "bilinear" and one.bound]
    if bounds and bounds[0] < total:
        text += (
            f" At most {bounds[0]:,} can be found by any quadratic (bilinear) distance that is "
            "never negative, in any of the three standardisations."
        )
    for one in audit.attacks:
        if one.confidence_bound is not None and one.confidence_bound < (one.bound or 0):
            text += (
                f" {one.attacker.title}: at most {one.confidence_bound:,} with 99 % confidence, "
                f"from a random sample of the {unit.many}."
            )
    beyond = [one for one in audit.attacks if one.n_found > bound and one.bound is None]
    if beyond:
        titles = listed([one.attacker.title for one in beyond])
        text += f" This proof does not cover attackers of another kind ({titles})."
    return text


def advice(audit: Audit) -> list[str]:
    """What to leave out, only if that was measured to lower the risk, and what else is known."""
    unit, shown = audit.unit, audit.contributions
    if audit.at_chance and audit.above_limit:
        return [
            f"Even a random guess is right for 1 in {audit.n_masked:,}: a file of so few records "
            "cannot be masked much below this risk."
        ]
    if audit.at_chance:
        return ["Nothing more is needed against these attackers."]
    texts = [_remedy_sentence(audit, one) for one in shown.helpful]
    if audit.within_limit:
        return [*texts, "The risk is within the limit: nothing more is needed to meet it."]
    if len(audit.names) == 1:
        texts.append(
            f"{quoted(audit.names[0])} is the only variable compared: it has to be masked more."
        )
    elif not shown.tried:
        texts.append(
            "There was no time to withhold any variable, so it is not known which of them gives "
            "the most away. Try a longer time limit."
        )
    elif not texts:
        texts.append(_no_remedy(audit))
    if audit.strict_rate == 0 and audit.limit != 0:
        texts += _groups_needed(audit)
    if audit.risk > 0.99:
        texts.append(f"Almost all {unit.many} are found: this masking protects hardly any of them.")
    return texts


def _remedy_sentence(audit: Audit, one: Remedy) -> str:
    about = "about " if audit.rests_on_estimate else ""
    before = audit.unit.count(one.n_before)
    text = (
        f"Leave out {first_few(one.leave_out)}: {about}{one.n_after:,} instead of {before} are "
        f"then found ({percent(one.risk_after)} instead of {percent(one.risk_before)}). This was "
        "measured with every attacker that was tried."
    )
    if one.cut_short:
        text += " The time limit stopped their searches, which might find more."
    return text


def _no_remedy(audit: Audit) -> str:
    """What the variables tried show if leaving none of them out helps much."""
    shown = audit.contributions
    least = shown.tried[0]
    after = {one.leave_out: one.n_after for one in shown.remedies}.get((least.name,))
    of_all = f"of {audit.unit.count(shown.n_with)}"
    if after is not None:
        text = f"leaving out {quoted(least.name)}, the best choice, still leaves {after:,} {of_all}"
        text += " found by one attacker or another"
    elif shown.untried_note is None and (least.drop or 0) <= 0:
        text = f"{shown.judge} still finds all {shown.n_with:,} without any one of them"
    elif (least.drop or 0) <= 0:
        return (
            f"There was time to withhold {len(shown.tried):,} of the {len(shown.variables):,} "
            f"variables. {shown.judge} finds as many without "
            f"{first_few([one.name for one in shown.tried])}. With a longer time limit, the others "
            "can be tried too."
        )
    elif shown.shorter:
        return (
            "There was no time to measure what leaving out a variable would change. Try a longer "
            "time limit."
        )
    else:
        return (
            f"Without {quoted(least.name)}, {shown.judge} finds {least.n_without:,} instead of "
            f"{audit.unit.count(shown.n_with)}. There was no time to try the other attackers "
            "without it, and they may find more."
        )
    return f"No single variable is decisive: {text}. The masking as a whole has to be stronger."


def _groups_needed(audit: Audit) -> list[str]:
    """How many records must be alike so that a guess among them is right seldom enough."""
    share = audit.limit if audit.limit is not None and audit.above_limit else audit.risk / 2
    k = math.ceil(1 / share - 1e-9)
    if k > audit.n_records:  # fewer records than that are in the file
        return []
    return [
        f"Only ties protect here, and a guess among k equal records is right once in k. If each "
        f"masked record were the same as {k - 1:,} others in all variables, the risk would be at "
        f"most {percent(1 / k)}."
    ]


def status_words(attack: Attack) -> str:
    """How a search ended."""
    return {
        "fixed": "nothing to learn",
        "optimal": "optimum, proven",
        "time_limit": "stopped by the time limit",
        "undecided": "proof left open by ties",
        "heuristic": "heuristic, no proof",
        "sampled": f"learned from {attack.n_learned:,} records",
    }.get(attack.status, attack.status)
