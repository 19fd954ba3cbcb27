"""HLMS on files with categories or missing values: the steps of `learner` in plain NumPy.

The parameters are those of `families.missing`: a capacity, and weights of what missing values cost.
A step moves both along the mean unit gradient of ``d_j - d_i``, relative to their values; the
capacity is repaired after Grabisch, and a weight stays at 0 or above. Line searches on samples
(`line_search`) take the place of the refinement.
"""

import time

import numpy as np

from sklearn_reclink.capacity import subset_sizes
from sklearn_reclink.search.ties import TIE_TOLERANCE
from sklearn_reclink.solvers.hlms import kernel
from sklearn_reclink.solvers.hlms.impostors import LISTED
from sklearn_reclink.solvers.hlms.learner import SHARE_OF_EPOCHS, epochs
from sklearn_reclink.solvers.line_search import search_samples
from sklearn_reclink.solvers.problem import Problem


def learn_mixed(
    problem: Problem,
    *,
    rng: np.random.Generator,
    learning_rate: float,
    max_iter: int,
    refine: bool,
    floor: float,
    time_limit: float,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Parameters, the records linked after every epoch, and whether there was time for all."""
    begin, index, family = time.monotonic(), problem.index, problem.family
    best = family.normalised(family.centre)
    most = int(index.linked(family, best).sum())
    history = [most]
    pause = begin + (SHARE_OF_EPOCHS if refine else 1.0) * time_limit
    step = _Steps(problem, floor).of_block
    for theta in epochs(best, step, index.n_records, rng, learning_rate, max_iter, pause):
        history.append(int(index.linked(family, theta).sum()))
        if history[-1] > most:
            best, most = theta, history[-1]
    complete = len(history) > max_iter
    if refine:
        best = _refined(problem, best, most, rng, begin + time_limit)
    return best, np.array(history), complete


def _refined(
    problem: Problem, best: np.ndarray, most: int, rng: np.random.Generator, deadline: float
) -> np.ndarray:
    """The best parameters that line searches find from the ones given and from simple ones."""
    index, family = problem.index, problem.family
    open_records = np.flatnonzero(~index.dominated)

    def offer(theta: np.ndarray) -> bool:
        nonlocal best, most
        count = int(index.linked(family, theta).sum())
        better = count > most
        if better:
            best, most = theta, count
        return better

    for theta in family.starts(index.original, index.masked):
        offer(family.normalised(family.repair(theta)))
    if len(open_records) and most < len(open_records):
        search_samples(problem, open_records, best, offer, deadline=deadline, rng=rng)
    return family.normalised(best)


class _Steps:
    """Steps of the parameters for one record after another."""

    def __init__(self, problem: Problem, floor: float) -> None:
        self.family, self.index, self.floor = problem.family, problem.index, floor
        n_variables = problem.index.n_variables
        self.n_capacity = 2**n_variables - 1
        self.by_size = np.argsort(subset_sizes(n_variables), kind="stable")

    def of_block(self, theta: np.ndarray, block: np.ndarray, rate: float) -> np.ndarray:
        """The parameters after the steps of some records; impostors are those of the first."""
        search = self.index.search(self.family, theta)
        found = search.ask("impostors", block, listed=LISTED)[0]
        for record, impostors in zip(block, found, strict=True):
            impostors = impostors[impostors >= 0]
            if len(impostors) and not self.index.dominated[record]:
                theta = self._step(theta, record, impostors, rate)
        return theta

    def _step(
        self, theta: np.ndarray, record: int, impostors: np.ndarray, rate: float
    ) -> np.ndarray:
        own, other = self.index.features(self.family, np.full(len(impostors), record), impostors)
        mine, theirs = own @ theta, other @ theta
        near = theirs - mine <= TIE_TOLERANCE * (theirs + mine)
        scale = np.maximum(theta, self.floor)
        gradients = (other - own)[near] * scale
        gradients[:, self.n_capacity - 1] = 0.0  # mu(V) = 1 is fixed
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        if not norms.any():
            return theta
        wanted = theta + rate * scale * (gradients / np.where(norms > 0, norms, 1)).mean(axis=0)
        capacity = np.append(0.0, theta[: self.n_capacity])
        kernel.move(capacity, np.append(0.0, wanted[: self.n_capacity]), self.by_size)
        return np.append(capacity[1:], np.maximum(wanted[self.n_capacity :], 0.0))
