"""How many people of the population the people found stand for, by their sampling weights.

With ``w`` the weights of the people sought, ``W`` the sum of the weights of all people, and
``found`` 1 for a person who is found, else 0 (or the chance to be right by guessing among ties)::

    weighted recall   = sum w found / sum w
    expected number   = W * weighted recall

The expected number estimates how many of the population would be found if each were in a release
like this one, among as many others. Only people who are in the release can be found in it, so the
risk and its limit are not weighted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_reclink.auditing._attack import HeldOut, Outcome
from sklearn_reclink.auditing.formatting import Table, Unit, aligned, bulleted, percent, quoted
from sklearn_reclink.data.alignment import check_aligned_index
from sklearn_reclink.data.weights import check_weights

if TYPE_CHECKING:
    from sklearn_reclink.auditing._attackers import Attacker
    from sklearn_reclink.auditing._files import Files

_WHOLE = 100  # from here on, numbers of people are written without decimals


class Weights(NamedTuple):
    """The weights of the people of both files, and the name of their column."""

    values: np.ndarray
    name: str | None


@dataclass(frozen=True)
class WeightedShare:
    """What an attacker finds, by the weights of the people.

    Attributes
    ----------
    attacker : Attacker
        Who attacks.
    is_estimate : bool
        Whether the people were not learned from.
    recall : float
        Weighted share of the people found.
    expected_recall : float
        The same with guesses among tied records.
    """

    attacker: Attacker
    is_estimate: bool
    recall: float
    expected_recall: float


@dataclass(frozen=True)
class Population:
    """The population that the people of a release stand for.

    Attributes
    ----------
    weight : str or None
        Name of the column of weights.
    total : float
        Sum of the weights.
    shares : tuple of WeightedShare
        What each attacker finds.
    """

    weight: str | None
    total: float
    shares: tuple[WeightedShare, ...]

    @property
    def strongest(self) -> WeightedShare:
        """The attacker who finds the most, guesses included."""
        return max(self.shares, key=lambda one: (one.expected_recall, one.recall))

    def number(self, share: float) -> float:
        """The expected number of people of the population."""
        return share * self.total


def read_weights(given: Any, X: Any, n_records: int) -> Weights | None:
    """The weights as numbers, for the rows of ``X``; None if there are none."""
    if given is None:
        return None
    check_aligned_index(X, given, "sample_weight")
    name = getattr(given, "name", None)
    called = "sample_weight" if name is None else f"sample_weight (column {str(name)!r})"
    weights = check_weights(given, n_records, called)
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError(f"{called} is too large to be added up: divide all weights by 1000")
    return Weights(weights, None if name is None else str(name))


def column_of(weights: Weights | None, files: Files) -> str | None:
    """The column of weights if the files have it: it is not a variable."""
    if weights is None or weights.name not in files.names:
        return None
    k = files.names.index(weights.name)
    if not any(np.array_equal(file[:, k], weights.values) for file in (files.X, files.Y)):
        raise ValueError(  # to leave out a variable would hide a risk
            f"sample_weight has the name of the column {weights.name!r}, but other values: rename "
            "it, with sample_weight.rename(None), if that column is a variable; if it holds the "
            "weights, drop it from both files"
        )
    if len(files.names) == 1:
        raise ValueError(f"{weights.name!r} is the only column: without it there is no variable")
    return weights.name


def population_of(weights: Weights | None, outcomes: Sequence[Outcome]) -> Population | None:
    """What attackers find, by the weights; None without weights."""
    if weights is None:
        return None
    values, name = weights
    shares = [
        WeightedShare(
            one.attacker,
            isinstance(one, HeldOut),
            float(np.average(one.reidentified, weights=mine)),
            float(np.average(one.chance, weights=mine)),
        )
        for one in outcomes
        if (mine := values[one.rows] if isinstance(one, HeldOut) else values).any()
    ]
    return Population(name, float(values.sum()), tuple(shares))


def population_sentences(population: Population, n_records: int, unit: Unit) -> list[str]:
    """What the people found stand for, in words."""
    one, column = population.strongest, population.weight
    named = "" if column is None else f" {quoted(column)}"
    who = one.attacker.title + (f" ({unit.many} not seen)" if one.is_estimate else "")
    total = _written(population, 1.0)
    texts = [
        f"By the sampling weights{named}, the {unit.count(n_records)} compared stand for {total} "
        f"{unit.many} in the population."
    ]
    if one.expected_recall > 0:
        found = f"about {_written(population, one.recall)} of them ({percent(one.recall)})"
        found = found if one.recall > 0 else "none of them"
        text = f"The {unit.many} found by {who} stand for {found}"
        if one.expected_recall - one.recall >= 0.0005:
            text += (
                f", and for about {_written(population, one.expected_recall)} "
                f"({percent(one.expected_recall)}) with guesses among equally near records"
            )
        texts.append(f"{text}.")
    texts.append(
        f"This estimates how many {unit.many} in the population would be found if each were in a "
        "release like this one, among as many others. The risk and its limit count those in the "
        "release, without weights."
    )
    return texts


def population_table(population: Population) -> Table:
    """Header and rows of what each attacker finds."""
    header = ["attacker", "stands for", "share", "guessing", "share, guessing", "looked for"]
    return header, [
        [
            one.attacker.title,
            *(
                cell
                for share in (one.recall, one.expected_recall)
                for cell in (_written(population, share), percent(share))
            ),
            "not seen" if one.is_estimate else "all",
        ]
        for one in population.shares
    ]


def population_text(population: Population | None, n_records: int, unit: Unit) -> str:
    """The part of the report for a terminal; empty without weights."""
    if population is None:
        return ""
    sentences = population_sentences(population, n_records, unit)
    return f"Population\n{bulleted(sentences)}\n\n{aligned(*population_table(population))}"


def population_as_dict(population: Population | None) -> dict[str, Any] | None:
    """The numbers of the sentences and of the table."""
    if population is None:
        return None
    shares = [
        {
            "name": one.attacker.name,
            "not_seen": one.is_estimate,
            "expected_number": population.number(one.recall),
            "weighted_recall": one.recall,
            "expected_number_guessing": population.number(one.expected_recall),
            "weighted_recall_guessing": one.expected_recall,
        }
        for one in population.shares
    ]
    largest = shares[population.shares.index(population.strongest)]
    return {
        "weight": population.weight,
        "total": population.total,
        "largest": largest,
        "attackers": shares,
    }


def _written(population: Population, share: float) -> str:
    number = population.number(share)
    return f"{number:,.0f}" if population.total >= _WHOLE else f"{number:.3g}"
