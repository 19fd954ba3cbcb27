"""Blocks: some of the open records, of which a search proves how many are lost.

The whole loses at least the sum of what disjoint blocks lose. A small block is proven with few
nodes, and a relaxation is weak in it as in the whole::

    sum_{i in B} x_i >= r(B)        for all parameters

Blocks are cut from random orders of all records, so that each order covers them all. Their size
follows the nodes that their proofs take.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink.solvers.covering.branching import VIOLATED
from sklearn_reclink.solvers.covering.master import ConflictPool, Cover, CoveringMaster
from sklearn_reclink.solvers.feasibility import Feasibility

if TYPE_CHECKING:
    from sklearn_reclink.solvers.covering.search import CoveringSearch, Separator

_SLOW = 0.02  # of a gap, that a round of separation gains before ranks are looked for
_NODES = 30  # at most, for the rank of a block
_FIRST_SIZE = 40
_STEP = 1.03  # of the size
_FEW_NODES = 8  # a proof with no more may be one of a larger block
_MOST_FRUITLESS = 12  # blocks in a row


def inside(conflicts: Iterable[np.ndarray], block: np.ndarray) -> list[np.ndarray]:
    """The conflicts among positions of a block, as places in it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.solvers.covering.blocks import inside
    >>> inside([np.array([2, 7]), np.array([2, 3])], np.array([2, 5, 7]))
    [array([0, 2])]
    """
    place = dict(zip(block.tolist(), range(len(block)), strict=True))
    named = ([place.get(one, -1) for one in conflict.tolist()] for conflict in conflicts)
    return [np.array(places) for places in named if min(places, default=-1) >= 0]


class Target:
    """The fewest losses of a block that candidates show: what a search of the block is to prove.

    What they lose is only a hint. Whatever a goal is, a search that reaches it has proven it.

    Attributes
    ----------
    theta : ndarray or None
    least : float
        Losses that the relaxation knows. If candidates lose no more, there is nothing to prove.
    """

    def __init__(self, feasibility: Feasibility, least: float) -> None:
        self._feasibility, self.least = feasibility, least
        self.theta: np.ndarray | None = None
        self._fewest = len(feasibility.open)

    @property
    def losses(self) -> int:
        return self._fewest if self._fewest > self.least else 0

    def offer(self, theta: np.ndarray) -> bool:
        """Keep candidates that seem to lose fewer records."""
        lost = np.count_nonzero(~self._feasibility.satisfied(theta, self._feasibility.open))
        if lost >= self._fewest:
            return False
        self.theta, self._fewest = theta, int(lost)
        return True


class Blocks:
    """Adds rows of blocks to the master of a search, and learns how large blocks may be.

    Parameters
    ----------
    n_open : int
        How many records are open.
    search : callable
        Makes the search of a block.

    Attributes
    ----------
    done : bool
        Whether blocks are of no use, or of no further use.
    """

    def __init__(self, n_open: int, search: "Callable[..., CoveringSearch]") -> None:
        self.n_open, self._search = n_open, search
        self._value, self._slow = -np.inf, False
        self._size = float(_FIRST_SIZE)
        self._order = np.empty(0, dtype=np.int64)
        self._fruitless = self._n_proven = 0
        self._running: list[CoveringSearch] = []
        self._stopped = False

    @property
    def done(self) -> bool:
        return self.n_open < 2 * self._size or self._fruitless >= _MOST_FRUITLESS

    @property
    def n_rounds(self) -> int:
        """Pairs of blocks so far."""
        return self._n_proven // 2

    def are_wanted(self, cover: Cover, gap: float) -> bool:
        """Whether blocks are of use, and the relaxation has once risen slowly."""
        self._slow |= cover.value - self._value < _SLOW * gap
        self._value = cover.value
        return self._slow and not self.done

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The next positions of a random order, sorted."""
        size = round(self._size)
        if len(self._order) < size / 2:
            self._order = rng.permutation(self.n_open)
        size = size if len(self._order) >= 1.5 * size else len(self._order)
        block, self._order = self._order[:size], self._order[size:]
        return np.sort(block)

    def rank(
        self, separator: "Separator", block: np.ndarray, *, cover: Cover, pool: ConflictPool,
        theta: np.ndarray,
    ) -> "tuple[np.ndarray, CoveringSearch]":  # fmt: skip
        """The losses of a block that a search proves, if it may lose more than the relaxation."""
        feasibility = separator.feasibility.part(separator.feasibility.open[block])
        target = Target(feasibility, float(cover.lost[block].sum()))
        target.offer(theta)
        search = self._search(feasibility, target, separator.rng, most_nodes=_NODES)
        search.master.add(inside(pool.lasting, block))
        self._running.append(search)
        if self._stopped:
            search.stop()
        search.run()
        self._running.remove(search)
        return block, search

    def stop(self) -> None:
        """End the searches of blocks that are under way in other threads."""
        self._stopped = True
        for search in self._running:
            search.stop()

    def keep(
        self, block: np.ndarray, search: "CoveringSearch", cover: Cover, master: CoveringMaster
    ) -> None:
        """Take over the conflicts and the losses that the search of a block proved."""
        master.add([block[one] for one in search.master.pool.lasting])
        violated = search.bound > cover.lost[block].sum() + VIOLATED
        if violated:
            master.add_rank(block, search.bound)
        self.adapt(violated, search.bound >= search.incumbent.losses, search.n_nodes)

    def adapt(self, violated: bool, closed: bool, n_nodes: int) -> None:
        """Larger blocks if one is easily proven, smaller ones if it is not."""
        self._n_proven += 1
        self._fruitless = 0 if violated else self._fruitless + 1
        if closed and n_nodes <= _FEW_NODES:
            self._size *= _STEP
        elif not closed:
            self._size /= _STEP
