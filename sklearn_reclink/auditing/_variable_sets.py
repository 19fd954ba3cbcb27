"""Sets of variables, and what is proven of one by what is known of others.

With ``optimum(S)`` the most people that a weighted mean of the variables ``S`` singles out in a
view::

    S part of T   =>   optimum(S) <= optimum(T),     since weight 0 is admissible.

Every variable is standardised by itself, and a weight of 0 adds nothing to a distance: the weights
found for ``S``, padded with zeros, give the very same distances within ``T``, ties included. So

    links(T)  >=  links(S)      a real attack, which a recount within T confirms
    bound(S)  <=  bound(T)      a proof for T is a proof for S

and the same for the ceiling and for what guessing among ties gives (`metrics.variable_sets`). A set
whose bound has come down to its links needs no search. An intruder may ignore a variable, so
what any other attacker finds with ``S`` can be found with ``T``, too.

Which sets: all of them up to ten variables. Beyond, those of one, two and three variables, as far
as they are not too many, those that lack one variable, and all variables together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from sklearn_reclink.metrics.variable_sets import SetCounts

ALL_SETS = 10  # variables of which every set is looked at
LARGEST_SET = 3  # beyond
MOST_SETS = 2_000
WIDEST = 30  # variables that are left out in turn

VariableSet = tuple[int, ...]


def list_sets(n_variables: int) -> list[VariableSet]:
    """The sets of variables to look at, smaller ones first.

    Examples
    --------
    >>> from sklearn_reclink.auditing._variable_sets import list_sets
    >>> list_sets(2), len(list_sets(10)), len(list_sets(13))
    ([(0,), (1,), (0, 1)], 1023, 391)
    """
    every = range(n_variables)
    sizes = set(every)
    if n_variables > ALL_SETS:
        sizes, total = {1}, n_variables
        for size in range(2, LARGEST_SET + 1):
            total += comb(n_variables, size)
            sizes |= {size} if total <= MOST_SETS else set()
        sizes |= {n_variables - 1} if n_variables <= WIDEST else set()
    sizes |= {n_variables}
    return [one for size in sorted(sizes - {0}) for one in combinations(every, size)]


def contained(sets: Sequence[VariableSet]) -> np.ndarray:
    """Whether set i is part of set j, (n_sets, n_sets)."""
    n_variables = 1 + max(max(one) for one in sets)
    members = np.zeros((len(sets), n_variables), dtype=np.float32)
    for number, one in enumerate(sets):
        members[number, list(one)] = 1
    return np.asarray(members @ members.T == members.sum(axis=1)[:, None])


@dataclass(frozen=True)
class Finding:
    """What an attacker finds with one set of variables.

    Attributes
    ----------
    number : int
        Number of the set.
    title : str
        Of the attacker.
    n_found : int
        People singled out.
    expected : float
        People found on average by picking at random among tied records.
    """

    number: int
    title: str
    n_found: int
    expected: float


class Brackets:
    """Links and bounds of every set of variables, both monotone at any time.

    Parameters
    ----------
    sets : list of tuple of int
        Variables of each set, in ascending order.
    counts : sequence of SetCounts
        What is known without a search, in every view.
    costly : sequence of int
        Variables with missing values: one alone has more than one weight.

    Attributes
    ----------
    n_linked, bound, ceiling : ndarray of int of shape (n_sets,)
    searched : ndarray of bool of shape (n_sets,)
    """

    def __init__(
        self, sets: list[VariableSet], counts: Sequence[SetCounts], costly: Sequence[int] = ()
    ) -> None:
        self.sets, self.counts = sets, counts
        self.sizes = np.array([len(one) for one in sets])
        self.within = contained(sets)
        self.here = np.max([one.n_linked for one in counts], axis=0)
        self.guessed_here = np.max([one.expected for one in counts], axis=0)
        self.ceiling = np.max([one.ceiling for one in counts], axis=0)
        self.searched = np.zeros(len(sets), dtype=bool)
        self.findings: list[Finding] = []
        alone = np.array([len(one) == 1 and one[0] not in costly for one in sets])
        # one variable has one weight: there is nothing to choose but the view
        self.bound = np.where(alone, self.here, self.ceiling)
        self._propagate()

    def _propagate(self) -> None:
        self.n_linked = np.where(self.within, self.here[:, None], 0).max(axis=0)
        most = self.bound.max()
        self.bound = np.where(self.within, self.bound[None, :], most).min(axis=1)
        wrong = np.flatnonzero(self.bound < self.n_linked)
        if len(wrong):
            raise RuntimeError(
                f"the proof is wrong: it allows {self.bound[wrong[0]]} links at most with "
                f"variables {self.sets[wrong[0]]}, a recount finds {self.n_linked[wrong[0]]}. "
                "Please report this, if possible with the files"
            )

    @property
    def open(self) -> np.ndarray:
        """Numbers of the sets whose optimum is not known, smaller sets first."""
        return np.flatnonzero(self.n_linked < self.bound)

    def best_part(self, number: int) -> int:
        """The part of a set with which the most people were singled out, the smallest of equals."""
        parts = np.flatnonzero(self.within[:, number])
        return int(parts[np.argmax(self.here[parts])])

    def searched_by_weights(
        self, number: int, n_linked: int, expected: float, bound: int | None
    ) -> None:
        """Take over what a search for the weights of one set found and proved."""
        self.here[number] = max(self.here[number], n_linked)
        self.guessed_here[number] = max(self.guessed_here[number], expected)
        if bound is not None:
            self.bound[number] = min(self.bound[number], bound)
        self.searched[number] = True
        self._propagate()

    @property
    def expected(self) -> np.ndarray:
        """The most that a weighted mean tried finds by guessing among ties, (n_sets,)."""
        return np.asarray(np.where(self.within, self.guessed_here[:, None], 0).max(axis=0))

    @property
    def expected_bound(self) -> np.ndarray:
        """No weighted mean finds more by guessing among ties, (n_sets,)."""
        return np.max([one.expected_bound(self.bound) for one in self.counts], axis=0)

    def worst(self, number: int, weights: str) -> tuple[Finding, float]:
        """Whoever singles out the most with a set or a part of it; the most found by guessing.

        ``weights`` is the title of the attacker that learns weights.
        """
        best = self.best_part(number)
        found = Finding(best, weights, int(self.here[best]), float(self.guessed_here[best]))
        others = [one for one in self.findings if self.within[one.number, number]]
        worst = max([found, *others], key=lambda one: one.n_found)
        return worst, max([float(self.expected[number]), *(one.expected for one in others)])
