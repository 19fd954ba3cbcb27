"""The verdict in plain words: how many people are at risk, how sure that is, what to protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn_reclink.auditing._attack import Attack
from sklearn_reclink.auditing.formatting import listed, people, percent, quoted

if TYPE_CHECKING:
    from sklearn_reclink.auditing._result import Audit
    from sklearn_reclink.auditing._variables import Variable, VariableContributions

# A variable without which this share fewer people are found is worth protecting by itself.
_NOTABLE_DROP = 0.1
_NEAR_THE_LARGEST = 0.75
_NOTABLE_INTERACTION = 0.1
_MOST_NAMED = 3


@dataclass(frozen=True)
class Verdict:
    """What the first screen of a report says.

    Attributes
    ----------
    level : {"none", "some", "above", "below"}
        Nobody found, somebody found, or the risk compared with a limit.
    headline : str
        How many people are at risk.
    how_sure : list of str
        How sure that is.
    what_to_protect : list of str
        What to do about it.
    """

    level: str
    headline: str
    how_sure: list[str]
    what_to_protect: list[str]


def verdict(audit: Audit) -> Verdict:
    """What an audit says, in words."""
    level = "some" if audit.risk > 0 else "none"
    if audit.limit is not None:
        level = "above" if audit.above_limit else "below"
    return Verdict(level, headline(audit), certainty(audit), advice(audit))


def headline(audit: Audit) -> str:
    """How many people are at risk, in one or two sentences."""
    total, worst, file = audit.n_records, audit.worst, audit.masked_name
    text = "An intruder who knows the original values would find "
    if audit.risk == 0:
        text = f"None of the {total:,} people is singled out in {file} by any of the "
        text += f"{len(audit.attacks)} attackers that were tried."
    elif audit.rests_on_estimate and audit.estimate is not None:
        low, high = map(percent, audit.estimate.interval)
        text += f"about {percent(audit.risk)} of the {total:,} people in {file} (between {low} and "
        text += f"{high}, estimated on {people(len(audit.estimate.rows))})."
    else:
        text += f"{worst.n_found:,} of {total:,} people ({percent(worst.rate)}) in {file}."
    if audit.limit is not None:
        side = "above" if audit.above_limit else "within"
        text += f" This is {side} the limit of {percent(audit.limit)}."
    return text


def certainty(audit: Audit) -> list[str]:
    """What is proven, what is estimated, and what guessing would give."""
    texts = []
    total, estimate = audit.n_records, audit.estimate
    if estimate is not None:
        low, high = map(percent, estimate.interval)
        n_sought = len(estimate.rows)
        sought = "the others" if n_sought == total else f"{n_sought:,} others"
        texts.append(
            f"Tested on people not seen: an intruder who knows {people(estimate.n_train)} in both "
            f"files finds {percent(estimate.rate)} of {sought} (95 % interval {low} to "
            f"{high}), each among all {estimate.n_pool:,} masked records. A random guess "
            f"finds 1 in {total:,}."
        )
    texts.append(proven(audit))
    if (audit.expected_rate - audit.worst.rate) * total >= 1:
        texts.append(
            "Ties: some people are not counted as found because another masked record is exactly "
            "as near as their own. An intruder who picks one of the nearest at random would be "
            f"right for about {people(round(audit.expected_rate * total))} "
            f"({percent(audit.expected_rate)})."
        )
    return texts


def proven(audit: Audit) -> str:
    """The bound that holds for every distance of a kind."""
    total, bound = audit.n_records, audit.monotone_bound
    kind = (
        "any weighted mean, OWA or Choquet distance, learned or not, in any of three "
        "standardisations (each file by itself, by the changes that masking made, by ranks)"
    )
    text = f"Proven: at most {bound:,} people ({percent(bound / total)}) can be found by {kind}."
    if bound == 0:
        text = f"Proven: nobody can be singled out by {kind}."
    elif bound == total:
        text = f"Nothing is excluded by proof: each of the {total:,} people could be found."
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
                "from a random sample of the people."
            )
    beyond = [one for one in audit.attacks if one.n_found > bound and one.bound is None]
    if beyond:
        titles = listed([one.attacker.title for one in beyond])
        text += f" This proof does not cover attackers of another kind ({titles})."
    return text


def advice(audit: Audit) -> list[str]:
    """What to protect more, from what a release without each variable would give away."""
    if audit.risk == 0:
        ties = "Ties protect some of these people: several masked records are equally near. "
        texts = ["Nothing more is needed against these attackers."]
        return [*texts, ties + "Keep it so."] if audit.expected_rate > 0 else texts
    shown = audit.contributions
    notable = outstanding(shown)
    texts = []
    if len(audit.names) == 1:
        texts.append(f"Mask {quoted(audit.names[0])} more: it is all an attacker needs.")
    elif notable:
        names = listed([quoted(one.name) for one in notable])
        it = "it" if len(notable) == 1 else "them"
        texts.append(
            f"Protect {names} more: mask {it} more strongly, round {it}, or leave {it} out."
        )
    else:
        texts.append(
            "No variable stands out: people are given away by the combination. Mask all variables "
            "more strongly, or together, so that whole records become alike."
        )
    if shown.n_plain and len(audit.names) > 1 and shown.tried:
        first = shown.tried[0]
        texts.append(
            f"Without {quoted(first.name)} the attackers that learn nothing would find "
            f"{first.n_without:,} instead of {people(shown.n_plain)}."
        )
    together = [pair for pair in shown.pairs if pair.interaction >= _NOTABLE_INTERACTION]
    if together and audit.learning_helps:
        pair = together[0]
        texts.append(
            f"{quoted(pair.first)} and {quoted(pair.second)} tell more together than apart: mask "
            "them in one group."
        )
    if audit.risk > 0.99:
        texts.append("Almost everybody is found: this masking protects nobody.")
    return texts


def outstanding(shown: VariableContributions) -> list[Variable]:
    """The few variables without which far fewer people are found than without most others."""
    drops = {one: one.drop or 0 for one in shown.tried}
    if not shown.n_plain or not drops:
        return []
    least = max(_NOTABLE_DROP * shown.n_plain, _NEAR_THE_LARGEST * max(drops.values()))
    notable = [one for one, drop in drops.items() if drop >= least]
    return notable if len(notable) <= min(_MOST_NAMED, len(drops) / 2) else []


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
