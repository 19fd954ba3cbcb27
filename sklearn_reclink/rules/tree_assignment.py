"""The program of `assignment` for large files: a tree prices all pairs.

Candidates are the best pairs of every record of both files. A row ``r`` with value ``u_r`` has a
missing pair iff some column has ``d_rc + v_c < -u_r`` for the distance ``d = -s``. A tree whose
boxes know their least price (`search.priced`) answers that for every row, exactly and without
looking at all pairs: its answer is the proof, as in `assignment`.

Equal records are the same candidates: each row takes others of them, so that all find a place.
"""

from typing import Any

import numpy as np

from sklearn_reclink.rules.assignment import Assignment, Program, Review, solve
from sklearn_reclink.rules.matching import Matching
from sklearn_reclink.search.priced import Coordinates, PricedSearch, plant


def assign_by_tree(
    coordinates: Coordinates,
    *,
    least: float | None = None,
    n_candidates: int = 16,
    max_rounds: int = 30,
    budget: int = 2**13,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Assignment:
    """Link one-to-one with the largest total score.

    Parameters
    ----------
    coordinates : Coordinates
        The files; a score is minus a distance.
    least, n_candidates, max_rounds, random_state
        As in `assign`.
    budget : int, default=2**13
        Most records that the search for first candidates looks at. The proof has no budget.
    n_jobs : int or None, default=None
        Number of joblib workers that search.
    """
    rng = np.random.default_rng(random_state)
    program = TreeProgram(coordinates, least, rng, n_candidates, budget, n_jobs)
    return solve(program, None, n_candidates, max_rounds)


class TreeProgram(Program):
    """The assignment problem of all pairs, which a tree prices."""

    def __init__(
        self,
        coordinates: Coordinates,
        least: float | None,
        rng: np.random.Generator,
        n_candidates: int,
        budget: int,
        n_jobs: int | None,
    ) -> None:
        shape = len(coordinates.exact[0]), len(coordinates.exact[1])
        self.n_jobs = n_jobs
        self.forward = plant(coordinates, distinct=False)
        self.first = self._first_candidates(coordinates, shape, n_candidates, budget)
        # the farthest pairs are among the extreme records, or hardly nearer
        ends = [np.append(file.argmin(axis=0), file.argmax(axis=0)) for file in coordinates.exact]
        extreme = self.scores_at(*(part.ravel() for part in np.meshgrid(*ends)))
        scores = np.append(extreme, self.scores_at(*np.divmod(self.first, shape[1])))
        self._set_up(shape, least, rng, [float(scores.min()), float(scores.max())])
        self.search = self.forward
        if self.flipped:
            self.search = plant(coordinates, distinct=False, flipped=True)

    def _first_candidates(
        self, coordinates: Coordinates, shape: tuple[int, int], n_candidates: int, budget: int
    ) -> np.ndarray:
        keys = []
        for flipped in (False, True):
            search = plant(coordinates, flipped=flipped)
            k = min(n_candidates, search.n_points)
            points = search.ask("candidates", k=k, budget=budget, n_jobs=self.n_jobs)[0]
            asked = np.repeat(np.arange(len(points)), k)
            found = _some_rows(search, asked, points.ravel().astype(np.int64))
            keys.append(found * shape[1] + asked if flipped else asked * shape[1] + found)
        return np.unique(np.concatenate(keys))

    def scores_at(self, records: np.ndarray, masked: np.ndarray) -> np.ndarray:
        return -self.forward.distances_at(records, masked)

    def review(self, matching: Matching, n_new: int) -> Review:
        """The worst pairs of every row, by the tree; all tight ones once none is missing."""
        if matching is self.start:
            nobody = np.zeros(0, dtype=np.int64)
            return Review(self.first, nobody, nobody, 0.0)
        search = self.search.with_prices(matching.prices[: self.search.n_points])
        # slack = value + (u_r + least), value = d_rc + v_c
        floor = -(matching.values + (self.least or 0.0))
        limits = floor + self.tolerance
        rows = np.arange(len(floor))
        k = min(n_new, search.n_points)
        found, values = search.ask("nearest_within", rows, k=k, limits=limits, n_jobs=self.n_jobs)
        slack = values - floor[:, None]
        allowed = self._allowed(matching, found, values)
        worst = np.where(allowed, slack, 0.0).min(axis=1)
        shortfall = -float(np.minimum(worst, 0.0).sum())
        place, column = np.nonzero(allowed & (slack < -self.tolerance))
        records, masked = self.turned(place, found[place, column])
        missing = records * self.n_masked + masked
        if len(missing):  # what is tight is not known yet, but for the links
            matched = np.flatnonzero(matching.links < search.n_points)
            tight = [(matched, matching.links[matched])]
        else:
            tight = []
            for some, points, near in _all_within(search, rows, limits, found, values):
                place, column = np.nonzero(self._allowed(matching, points, near))
                tight.append((some[place], points[place, column]))
        rows, columns = (np.concatenate(part) for part in zip(*tight, strict=True))
        return Review(missing, *self.turned(rows, columns), shortfall)

    def _allowed(self, matching: Matching, found: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Whether the pairs found may be linked at all."""
        if self.least is None:
            return np.asarray(found >= 0)
        distances = values - matching.prices[: self.n_masked][found]
        return np.asarray((found >= 0) & (-distances > self.least))


def _some_rows(search: PricedSearch, asked: np.ndarray, points: np.ndarray) -> np.ndarray:
    """One row of every point, another one for every record that asks."""
    everyone, starts = search.point_rows
    sizes = starts[points + 1] - starts[points]
    return np.asarray(everyone[starts[points] + asked % sizes])


def _all_within(
    search: PricedSearch,
    rows: np.ndarray,
    limits: np.ndarray,
    found: np.ndarray,
    values: np.ndarray,
) -> Any:
    """Everything within the limits, given the first columns of it; some rows at a time."""
    full = found[:, -1] >= 0
    yield rows[~full], found[~full], values[~full]
    for some, places, others, _ in search.within(rows[full], limits[full]):
        points = np.where(places >= 0, search.tree.rows[places], -1)
        yield rows[full][some], points, others
