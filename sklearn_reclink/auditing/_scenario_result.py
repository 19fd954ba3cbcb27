"""What a sweep over the knowledge of intruders found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing._people_known import PeopleKnown
from sklearn_reclink.auditing.formatting import Unit

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = ("n_linked", "bound", "ceiling", "expected_bound")
_IN_FRAME = ("n_found", "attacker", "n_linked", "bound", "ceiling", "expected", "expected_bound")


@dataclass(frozen=True)
class Scenario:
    """What an intruder who knows one set of variables finds.

    Attributes
    ----------
    variables : tuple of str
        What the intruder knows.
    n_linked : int
        People that a weighted mean of these variables singles out, recounted.
    bound : int
        Proven: no weighted mean of these variables singles out more.
    ceiling : int
        Proven: no weighted mean, OWA or Choquet distance singles out more.
    n_found : int
        People singled out by the strongest attacker that was tried.
    attacker : str
        Its title.
    used : tuple of str
        The variables that it uses, a part of those known.
    expected : float
        The most people found on average by picking at random among tied records.
    expected_bound : float
        Proven: no weighted mean finds more in that way.
    searched : bool
        Whether a search was made for this very set; other sets may decide it.
    """

    variables: tuple[str, ...]
    n_linked: int
    bound: int
    ceiling: int
    n_found: int
    attacker: str
    used: tuple[str, ...]
    expected: float
    expected_bound: float
    searched: bool

    @property
    def n_known(self) -> int:
        """Number of variables known."""
        return len(self.variables)

    @property
    def n_exposed(self) -> float:
        """The larger of the people singled out and of those found by guessing among ties."""
        return max(float(self.n_found), self.expected)

    @property
    def is_exact(self) -> bool:
        """Whether no weighted mean finds more than the one found."""
        return self.n_linked == self.bound


@dataclass(frozen=True)
class Envelope:
    """All sets of so many variables.

    Attributes
    ----------
    n_known, n_sets : int
        Variables known, and number of sets looked at.
    complete : bool
        Whether these are all sets of that size.
    least, most : Scenario
        The sets that expose the fewest and the most people.
    n_linked, bound, ceiling : int
        The largest numbers of a set: what a weighted mean singles out, its bound, the ceiling.
    expected_bound : float
        The largest of the bounds on what guessing among ties finds.
    """

    n_known: int
    n_sets: int
    complete: bool
    least: Scenario
    most: Scenario
    n_linked: int
    bound: int
    ceiling: int
    expected_bound: float


@dataclass(frozen=True, eq=False)
class Scenarios:
    """What intruders who know only some of the variables find. Made by `scenarios`.

    Attributes
    ----------
    names : tuple of str
        Variables that an intruder may know.
    secret : tuple of str
        Variables that nobody knows.
    scenarios : tuple of Scenario
        Every set of variables looked at, smaller sets first.
    people : tuple of PeopleKnown
        What is found by learning from few known people, with all variables.
    n_records : int
        People sought.
    n_total : int
        People in the file; more than sought if these are a random sample.
    n_pool : int
        Masked records in which they are sought.
    views : tuple of str
        Standardisations that the bounds cover.
    attackers : tuple of str
        Titles of the other attackers tried on some of the sets.
    unit : Unit
        What one record describes.
    notes : tuple of str
        Warnings about the files.
    settings : dict
        How the sweep was made.

    Examples
    --------
    >>> from sklearn_reclink import datasets, masking, scenarios
    >>> X = datasets.make_microdata(60, 3, random_state=0)
    >>> Y = masking.Microaggregation(k=3, groups=[[0, 1], [2]]).fit_transform(X)
    >>> found = scenarios(X, Y, pairs=(), attackers=())
    >>> [(one.variables, one.n_linked, one.bound) for one in found.scenarios[2:5]]
    [(('x2',), 0, 0), (('x0', 'x1'), 0, 0), (('x0', 'x2'), 30, 30)]
    >>> found.fewest(0.5)  # proven: fewer variables do not single out half of the people
    2
    """

    names: tuple[str, ...]
    secret: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    people: tuple[PeopleKnown, ...]
    n_records: int
    n_total: int
    n_pool: int
    views: tuple[str, ...]
    attackers: tuple[str, ...]
    unit: Unit
    notes: tuple[str, ...]
    settings: dict[str, Any]

    def of(self, variables: Iterable[str]) -> Scenario:
        """The scenario of an intruder who knows some variables.

        Parameters
        ----------
        variables : iterable of str
            Names, in any order.

        Returns
        -------
        Scenario
        """
        wanted = {variables} if isinstance(variables, str) else set(variables)
        for one in self.scenarios:
            if set(one.variables) == wanted:
                return one
        raise KeyError(
            f"the set {sorted(wanted)} was not looked at: the variables are {list(self.names)}, "
            f"and {self.settings['listed']}"
        )

    @property
    def whole(self) -> Scenario:
        """The intruder who knows all variables."""
        return self.scenarios[-1]

    @property
    def is_sample(self) -> bool:
        """Whether the people sought are a random sample."""
        return self.n_records < self.n_total

    def risk(self, scenario: Scenario) -> float:
        """Share of people exposed: the larger of those singled out and those guessed right.

        Parameters
        ----------
        scenario : Scenario
            One of `scenarios`.

        Returns
        -------
        float
        """
        return scenario.n_exposed / self.n_records

    @property
    def largest_risk(self) -> float:
        """The largest share found, by all variables or by learning from known people."""
        return max(self.risk(self.whole), *(one.rate for one in self.people), 0.0)

    @property
    def largest_is_estimate(self) -> bool:
        """Whether the largest share is that of a sample, or of people not learned from."""
        return self.is_sample or self.largest_risk > self.risk(self.whole)

    def smallest(self, share: float) -> list[Scenario]:
        """The smallest sets of variables that expose a share of the people, worst first.

        Parameters
        ----------
        share : float
            From 0 to 1.

        Returns
        -------
        list of Scenario
            Sets of one size; empty if none of those looked at exposes that many.
        """
        exposed = [one for one in self.scenarios if self.risk(one) >= share]
        size = min((one.n_known for one in exposed), default=0)
        some = [one for one in exposed if one.n_known == size]
        return sorted(some, key=lambda one: -one.n_exposed)

    def fewest(self, share: float, *, guessing: bool = False) -> int | None:
        """The fewest variables with which a weighted mean could reach a share, by the bounds.

        Parameters
        ----------
        share : float
            From 0 to 1.
        guessing : bool, default=False
            Whether guesses among tied records count too.

        Returns
        -------
        int or None
            It is proven that no weighted mean of fewer variables singles out that share. None: not
            even all variables do.
        """
        for one in self.envelope:
            bound = one.expected_bound if guessing else one.bound
            if bound / self.n_records >= share:
                # sets of sizes between were not looked at, but larger ones were
                before = [other.n_known for other in self.envelope if other.n_known < one.n_known]
                return 1 + max(before, default=0)
        return None

    @cached_property
    def envelope(self) -> tuple[Envelope, ...]:
        """The sets that expose the fewest and the most people, by the number of variables known."""
        return tuple(
            self._envelope(size) for size in sorted({one.n_known for one in self.scenarios})
        )

    def _envelope(self, size: int) -> Envelope:
        some = [one for one in self.scenarios if one.n_known == size]
        return Envelope(
            n_known=size,
            n_sets=len(some),
            complete=len(some) == comb(len(self.names), size),
            least=min(some, key=lambda one: one.n_exposed),
            most=max(some, key=lambda one: one.n_exposed),
            **{name: max(getattr(one, name) for one in some) for name in _LARGEST},
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per set of variables, as a pandas DataFrame."""
        import pandas as pd

        rows = [
            {"variables": ", ".join(one.variables), "n_known": one.n_known, "risk": self.risk(one)}
            | {name: getattr(one, name) for name in _IN_FRAME}
            for one in self.scenarios
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, without values of records, ready for JSON."""
        from sklearn_reclink.auditing._scenario_output import scenarios_as_dict

        return scenarios_as_dict(self)

    def to_text(self) -> str:
        """The answers and the tables for a terminal."""
        from sklearn_reclink.auditing._scenario_output import scenarios_text

        return scenarios_text(self)

    def plot(self, **options: Any) -> Any:
        """Draw the people singled out against the number of variables known.

        Parameters
        ----------
        **options
            Passed to `inspection.ScenarioDisplay.plot`.

        Returns
        -------
        ScenarioDisplay
        """
        from sklearn_reclink.inspection import ScenarioDisplay

        n = self.n_records
        display = ScenarioDisplay(
            n_known=[one.n_known for one in self.scenarios],
            risk=[one.n_found / n for one in self.scenarios],
            guessed=[self.risk(one) for one in self.scenarios],
            bound=[one.bound / n for one in self.scenarios],
            names=[one.variables for one in self.scenarios],
            risk_label=f"share of {self.unit.many} singled out",
        )
        return display.plot(**options)
