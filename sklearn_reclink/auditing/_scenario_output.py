"""A sweep over the knowledge of intruders in sentences, as text and as data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing.formatting import aligned, bulleted, listed, percent, quoted

if TYPE_CHECKING:
    from sklearn_reclink.auditing._scenario_result import Envelope, Scenario, Scenarios

SHARES = (0.1, 0.5)  # of the people, whose smallest sets are named
_MOST_NAMED = 3  # sets
_LONGEST_SET = 60  # characters of a set in a table
_MANY = 6  # variables that are not all named in a sentence

Table = tuple[list[str], list[list[str]]]


def answers(found: Scenarios) -> list[str]:
    """What the sweep tells, in sentences; the first answers the question."""
    texts = [_whole(found)]
    for share in SHARES:
        texts += [_smallest(found, share), *_fewest(found, share)]
    return texts


def _whole(found: Scenarios) -> str:
    one = found.whole
    who = "all variables" if len(found.names) > 1 else quoted(found.names[0])
    text = f"Someone who knows {who} {_finds(found, one)}."
    single = [other for other in found.scenarios if other.n_known == 1]
    if len(single) > 1:
        worst = max(single, key=lambda other: other.n_exposed)
        text += f" Of single variables, {quoted(worst.variables[0])} gives the most away: "
        text += f"someone who knows it alone {_finds(found, worst)}."
    return text


def _finds(found: Scenarios, one: Scenario) -> str:
    """How many people a scenario exposes, in words."""
    share = percent(one.n_found / found.n_records)
    text = f"singles out {one.n_found:,} of {found.n_records:,} {found.unit.many} ({share})"
    if one.expected >= one.n_found + 0.5:
        text += f", and is right for {one.expected:,.0f} ({percent(found.risk(one))}) by guessing"
        text += " among ties"
    return text


def _smallest(found: Scenarios, share: float) -> str:
    sets = found.smallest(share)
    if not sets:
        return (
            f"No set of variables that was tried exposes {percent(share)} of the {found.unit.many}."
        )
    size = sets[0].n_known
    named = [f"{_set(found, one)} ({percent(found.risk(one))})" for one in sets[:_MOST_NAMED]]
    more = f", and {len(sets) - len(named):,} more" if len(sets) > len(named) else ""
    if len(sets) == 1:
        head = f"The smallest set that exposes {percent(share)} of the {found.unit.many}"
        return f"{head} is {named[0]}."
    noun = "variable" if size == 1 else "variables"
    head = f"The smallest sets that expose {percent(share)} of the {found.unit.many} have"
    return f"{head} {size} {noun}: {'; '.join(named)}{more}."


def _set(found: Scenarios, one: Scenario) -> str:
    """The variables of a set, or those that it lacks, whichever is shorter."""
    lacking = [name for name in found.names if name not in one.variables]
    if not lacking and len(found.names) > 1:
        return f"all {len(found.names)} variables"
    if len(one.variables) > _MANY and len(lacking) < len(one.variables):
        return f"all variables but {listed([quoted(name) for name in lacking])}"
    return listed([quoted(name) for name in one.variables])


def _fewest(found: Scenarios, share: float) -> list[str]:
    """What is proven about sets that do not expose a share of the people."""
    strict, guessing = found.fewest(share), found.fewest(share, guessing=True)
    who = f"of the {found.unit.many}" + (" sought" if found.is_sample else "")
    if strict is None:
        limit = "with these variables" if len(found.names) > 1 else "with this variable"
    elif strict == 2:
        limit = "with one variable"
    elif strict > 2:
        limit = f"with fewer than {strict} variables"
    else:
        return []
    text = f"It is proven that no weighted mean singles out {percent(share)} {who} {limit}"
    if guessing == strict:
        return [f"{text}, not even by guessing among ties."]
    if guessing is not None and guessing > 1:
        return [f"{text}, nor finds so many by guessing among ties with fewer than {guessing}."]
    return [f"{text}."]


def coverage(found: Scenarios) -> list[str]:
    """What the numbers cover, and what they do not."""
    looked = found.settings["listed"]
    n_open = sum(not one.is_exact for one in found.scenarios)
    n_searched = sum(one.searched for one in found.scenarios)
    texts = [
        f"{looked[0].upper()}{looked[1:]}. {n_searched:,} of them were searched. What is proven "
        "for a set holds for its subsets, and what is found with a set is found with every set "
        "that contains it.",
        f"The bound holds for every weighted mean of the variables, standardised in any of these "
        f"ways: {listed(found.views)}. The ceiling also holds for OWA and Choquet distances. Both "
        f"count {found.unit.many} singled out; those exposed may be more, since guesses among ties "
        "and other attackers count.",
    ]
    if n_open:
        texts.append(
            f"For {n_open:,} of the sets the bound is above what was found: the truth lies "
            "between. A longer time limit narrows it."
        )
    if found.attackers:
        texts.append(
            f"{listed(found.attackers)} tried all variables, all but one, and the smallest sets "
            "above, as far as time allowed. What they find counts for every larger set. The bounds "
            "do not cover attackers that are not weighted means."
        )
    if found.secret:
        names = listed([quoted(name) for name in found.secret])
        texts.append(f"It is assumed that nobody knows {names}.")
    if found.is_sample:
        texts.append(
            f"{found.n_records:,} of the {found.n_total:,} {found.unit.many}, drawn at random, "
            f"were sought among all {found.n_pool:,} masked records. The numbers are about these."
        )
    return texts


def people_sentence(found: Scenarios) -> str | None:
    """What the number of people known beforehand changes."""
    if not found.people:
        return None
    first, *learned = found.people
    text = (
        f"Someone who knows all variables but no pair of records finds {percent(first.rate)} of "
        f"the {found.unit.many} with equal weights."
    )
    if learned:
        parts = [f"{percent(one.rate)} with {one.n_pairs:,}" for one in learned]
        text += f" {found.unit.many.capitalize()} known beforehand teach the attacker how to find "
        text += f"the others: it finds {listed(parts)} known {found.unit.many}."
    return text


def sizes_table(found: Scenarios) -> Table:
    """Header and rows by the number of variables known."""
    header = ["known", "sets", "fewest exposed", "most exposed", "share"]
    header += ["weighted mean", "at most", "ceiling", "most exposing set"]
    return header, [
        [
            f"{one.n_known}",
            f"{one.n_sets:,}",
            _count(one.least.n_exposed),
            _count(one.most.n_exposed),
            percent(found.risk(one.most)),
            *_of_weights(one),
            _short(_set(found, one.most)),
        ]
        for one in found.envelope
    ]


def people_table(found: Scenarios) -> Table:
    """Header and rows by the number of people known."""
    header = [f"{found.unit.many} known", "share found of the others", "from", "to", "attacker"]
    return header, [
        [
            f"{one.n_pairs:,}",
            *(percent(share) for share in (one.rate, one.lowest, one.highest)),
            one.attacker,
        ]
        for one in found.people
    ]


def sets_table(found: Scenarios, most: int | None = None) -> Table:
    """Header and rows of single sets, smaller ones first, of one size the most exposing first."""
    header = ["variables", "exposed", "singled out", "attacker"]
    header += ["weighted mean", "at most", "ceiling"]
    ordered = sorted(found.scenarios, key=lambda one: (one.n_known, -one.n_exposed))
    return header, [
        [
            _short(_set(found, one)),
            _count(one.n_exposed),
            f"{one.n_found:,}",
            one.attacker,
            *_of_weights(one),
        ]
        for one in ordered[:most]
    ]


def _of_weights(one: Scenario | Envelope) -> list[str]:
    """What weighted means find, the bound and the ceiling."""
    return [f"{number:,}" for number in (one.n_linked, one.bound, one.ceiling)]


def _count(number: float) -> str:
    return f"{number:,.0f}" if abs(number - round(number)) < 0.05 else f"{number:,.1f}"


def _short(text: str) -> str:
    from sklearn_reclink.inspection.drawing import shorten

    return shorten(text, _LONGEST_SET)


def scenarios_text(found: Scenarios) -> str:
    """The answers and the tables."""
    people = people_sentence(found)
    parts = [
        "What does the intruder know?\n" + bulleted(answers(found)),
        "By the number of variables known\n" + aligned(*sizes_table(found)),
        "How sure is that?\n" + bulleted(coverage(found)),
    ]
    if people is not None:
        parts.append(f"How many {found.unit.many} does the intruder know?\n" + bulleted([people]))
        parts.append(aligned(*people_table(found)))
    return "\n\n".join(parts)


def scenarios_as_dict(found: Scenarios) -> dict[str, Any]:
    """The numbers of a sweep."""
    return {
        "variables": list(found.names),
        "secret": list(found.secret),
        "n_records": found.n_records,
        "n_total": found.n_total,
        "n_pool": found.n_pool,
        "standardizations_of_bounds": list(found.views),
        "answers": answers(found),
        "coverage": coverage(found),
        "smallest": [
            {
                "share": share,
                "sets": [list(one.variables) for one in found.smallest(share)],
                "fewest_variables": found.fewest(share),
                "fewest_variables_by_guessing": found.fewest(share, guessing=True),
            }
            for share in SHARES
        ],
        "sets": [
            {
                **asdict(one),
                "variables": list(one.variables),
                "used": list(one.used),
                "risk": found.risk(one),
            }
            for one in found.scenarios
        ],
        "people_known": [asdict(one) for one in found.people],
        "attackers": list(found.attackers),
        "settings": dict(found.settings),
    }
