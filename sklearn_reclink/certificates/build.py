"""A certificate of a fit: what was found, and a proof of the bound that `verify` accepts.

The proof is made after the fit, from its parameters, its bound and the conflicts it met; nothing
is taken over that `verify` would not accept. Where the bound of the fit cannot be proven in this
form, or only by too large a file, the lowest bound that can be is certified, and ``bound_of_fit``
says what the fit claimed.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_reclink._version import __version__
from sklearn_reclink.certificates import certificate_json
from sklearn_reclink.certificates.cells import CellTree
from sklearn_reclink.certificates.conflicts import ConflictFinder, accepts, theta_keys
from sklearn_reclink.certificates.coordinates import (
    CertificateError,
    coordinates,
    digest,
    with_pool,
)
from sklearn_reclink.certificates.covering import Covering, Node, NotProven
from sklearn_reclink.certificates.distances import ORTHANT
from sklearn_reclink.certificates.mixed import mixed_coordinates
from sklearn_reclink.certificates.verify import FORMAT, TOLERANCE, VERSION, Checker
from sklearn_reclink.solvers.presolve import MOST_CELL_PARAMETERS, MOST_PAIRS, Presolved, presolve
from sklearn_reclink.solvers.problem import Problem

MOST_BYTES = 20_000_000
_LIFTS = 2.0 ** np.arange(-54, -20)
_SHARE_LEFT = 0.2  # of the time, for a weaker bound
_FEW_NODES, _MANY_NODES = 40, 20_000  # relaxations before cells are tried instead, or in all


@dataclass(frozen=True)
class Fit:
    """What a fit knows, for its certificate.

    Attributes
    ----------
    original, masked : list of rows
        The files as numbers, those of mixed files as `mixed.codes` makes them.
    pool : list of rows or None
        The whole masked file, if one was given: the records of ``masked``, then the others in the
        order of `coordinates.in_order`, as in the index of the problem.
    columns : list of str or None
        Names of the columns.
    variables : list of dict or None
        Of a mixed file the ``kind`` of each column, and the ``levels`` of an ordinal one (`mixed`).
    view : dict
        ``standardize``, and ``scales``: for every column, shift and scale of the original file,
        then of the masked file; None for a column left out. Empty lists where ranks are taken; the
        cap of a category.
    family : dict
        ``name``, ``constraint`` and ``order``.
    problem : Problem
        The coordinates and the family that were searched.
    theta : ndarray of shape (n_parameters,)
    linked : ndarray of bool of shape (n_records,)
    bound : int
    status : str
    conflicts : iterable of ndarray of int
        Sets of records that the fit found in conflict.
    """

    original: list[list[Any]]
    masked: list[list[Any]]
    pool: list[list[Any]] | None
    columns: list[str] | None
    variables: list[dict[str, Any]] | None
    view: dict[str, Any]
    family: dict[str, Any]
    problem: Problem
    theta: np.ndarray
    linked: np.ndarray
    bound: int
    status: str
    conflicts: Iterable[np.ndarray]


def build_certificate(
    fit: Fit,
    *,
    others: Sequence[Fit] = (),
    most_bytes: int = MOST_BYTES,
    seconds: float = 600.0,
    method: str | None = None,
) -> dict[str, Any]:
    """A certificate that `verify` accepts.

    Parameters
    ----------
    fit : Fit
    others : sequence of Fit
        The same fit in further views, which link no more than the bound either.
    most_bytes : int
        Size of the proof as JSON; a weaker bound is certified rather than exceed it.
    seconds : float
        Of the proof; after these the bound proven so far is certified.
    method : {"conflicts", "cells"} or None
        How the bound is proven; None chooses.
    """
    original, masked, pool = fit.original, fit.masked, fit.pool
    everyone = masked if pool is None else with_pool(masked, pool)
    checkers = [_checker(one, original, masked, everyone) for one in (fit, *others)]
    theta, linked = _exact_links(checkers[0], fit)
    deadline = time.monotonic() + seconds
    n_records, proofs = len(original), list[tuple[Node, int]]()
    for checker, one in zip(checkers, (fit, *others), strict=True):
        left = len(checkers) - len(proofs)
        until = deadline - (deadline - time.monotonic()) * (left - 1) / left
        proofs.append(_proof(checker, one, most_bytes // len(checkers), until, method))
    files = {"original": original, "masked": masked, "pool": None if pool is None else everyone}
    digests = {name: None if file is None else digest(file) for name, file in files.items()}
    seen = zip(others, proofs[1:], strict=True)
    more = {"other_views": [{"view": one.view, "proof": proof} for one, (proof, _) in seen]}
    return {
        "format": FORMAT,
        "version": VERSION,
        "package": __version__,
        "sha256": digests,
        "columns": fit.columns,
        **({} if fit.variables is None else {"variables": fit.variables}),
        "view": fit.view,
        "family": fit.family,
        "tolerance": TOLERANCE,
        "n_records": n_records,
        "n_linked": len(linked),
        "bound": n_records - min(losses for _, losses in proofs),
        "bound_of_fit": fit.bound,
        "status_of_fit": fit.status,
        "theta": theta,
        "linked": linked,
        "proof": proofs[0][0],
        **(more if others else {}),
    }


def _checker(fit: Fit, *files: list[list[Any]]) -> Checker:
    if fit.variables is None:
        return Checker(fit.family, *coordinates(fit.view, *files))
    return Checker(fit.family, *mixed_coordinates(fit.view, fit.variables, *files))


# -- (a) parameters and links ---------------------------------------------------------------------


def _exact_links(checker: Checker, fit: Fit) -> tuple[list[float], list[int]]:
    """Parameters exactly inside their cone, as near as possible, and the records they link."""
    for theta in _near(checker, fit):
        by_key = dict(zip(theta_keys(checker), theta.tolist(), strict=True))
        listed = [by_key[key] for key in checker.keys]
        try:
            exact = checker.parameters(listed)
            asked = np.flatnonzero(fit.linked | (checker.constraint == "nonnegative")).tolist()
            linked = [i for i in asked if checker.is_linked(exact, i) and fit.linked[i]]
        except CertificateError:
            continue
        return listed, linked
    raise CertificateError("no parameters near those of the fit are inside their cone")


def _near(checker: Checker, fit: Fit) -> Iterable[np.ndarray]:
    """The parameters of the fit, then moved inwards by ever more rounding."""
    yield fit.theta
    inside = fit.problem.family.centre
    if checker.constraint == "submodular":
        sizes = np.array([key.bit_count() for key in theta_keys(checker)])
        inside = sizes * (2 * checker.n - sizes) / checker.n**2
        if checker.order is not None:
            inside = np.select([sizes == 1, sizes == 2], [1.0, -0.5 / checker.n])
    for lift in _LIFTS:
        yield fit.theta + lift * np.abs(fit.theta).max() * inside


# -- (b) the bound --------------------------------------------------------------------------------


def _proof(
    checker: Checker, fit: Fit, most_bytes: int, deadline: float, method: str | None
) -> tuple[Node, int]:
    """The proof of as many losses as the fit claims, or of fewer, and their number."""
    presolved = presolve(fit.problem)
    never = _never_pairs(checker, fit.problem, presolved.never)
    lost = frozenset(i for i, _ in never)
    goal = fit.problem.index.n_records - fit.bound
    for losses, tree in _trees(checker, fit, presolved, lost, goal, deadline, method):
        proof = {"never": never, "tree": tree}
        if len(certificate_json(proof)) <= most_bytes:
            return proof, losses
    return {"never": never, "tree": [{}]}, len(lost)


def _trees(
    checker: Checker,
    fit: Fit,
    presolved: Presolved,
    lost: frozenset[int],
    goal: int,
    deadline: float,
    method: str | None,
) -> Iterator[tuple[int, list[Node]]]:
    """Trees that prove the goal, and then fewer losses."""
    if goal <= len(lost):
        yield len(lost), [{}]
        return
    soon = deadline - _SHARE_LEFT * (deadline - time.monotonic())
    finder = ConflictFinder(fit.problem, checker, deadline)
    by_cells = checker.name in ORTHANT and checker.width <= MOST_CELL_PARAMETERS
    most_nodes = _FEW_NODES if by_cells and method is None else _MANY_NODES
    known = map(np.ndarray.tolist, fit.conflicts)
    covering = Covering(finder, lost, soon, most_nodes, conflicts=known)
    if method != "cells":
        yield from _covering_trees(covering, goal)
    if by_cells and method != "conflicts":
        try:
            yield goal, CellTree(fit.problem, presolved, checker, lost, soon).tree(goal)
        except NotProven:
            pass
    yield covering.one_node()


def _covering_trees(covering: Covering, goal: int) -> Iterator[tuple[int, list[Node]]]:
    """The tree of the goal or, where ties leave a conflict unproven, of the most losses below."""
    while goal > len(covering.lost):
        try:
            yield goal, covering.tree(goal)
            return
        except NotProven as stopped:
            goal = min(goal - 1, stopped.losses)


def _never_pairs(checker: Checker, problem: Problem, asked: np.ndarray) -> list[list[int]]:
    """Records that no parameters link, each with the masked record that stands in the way."""
    index, family, found = problem.index, problem.family, []
    if not family.monotone and index.n_records * index.n_masked <= MOST_PAIRS:
        asked = np.arange(index.n_records)  # some tie by the sign of a difference
    for i in asked.tolist():
        differences = np.abs(family.differences(index.original[i], index.masked))
        near = (differences <= differences[i] * (1 + TOLERANCE)).all(axis=1)
        for j in np.flatnonzero(near).tolist():
            if j != i and accepts(checker.never, [[i, j]]):
                found.append([i, j])
                break
    return found
