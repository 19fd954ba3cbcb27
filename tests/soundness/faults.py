"""Solvers that lie: wrong statuses, values, vectors and rays, NaN, exceptions.

`lying` replaces what the proofs call, for the length of a ``with`` block: HiGHS, the compiled
active-set method, or the spectra of numpy. At calls drawn at random their answers are replaced by
wrong ones. The files do not lie, and neither do checks and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import highspy
import numpy as np

from sklearn_reclink.solvers import active_set, feasibility
from sklearn_reclink.solvers.cells import settling

STATUSES = list(highspy.HighsModelStatus.__members__.values())
KINDS = ("HiGHS", "active set", "spectra", "several")


class InjectedError(RuntimeError):
    """What a solver raises here."""


class Liar:
    """Decides which calls lie, and how.

    One call alone lies, or each with some probability. ``lies`` counts them.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.lies = 0
        self._calls = 0
        self._only = int(rng.integers(1, 6)) if rng.random() < 0.3 else None
        self._share = float(rng.choice([0.1, 0.4, 1.0]))

    def __call__(self) -> bool:
        """Whether this call lies."""
        self._calls += 1
        if self._only is None:
            answer = bool(self.rng.random() < self._share)
        else:
            answer = self._calls == self._only
        self.lies += answer
        return answer

    def numbers(self, true: Any) -> np.ndarray:
        """Numbers in the place of true ones: scaled, noisy, negative, huge, of another length."""
        true = np.array(true, dtype=float)
        noise = self.rng.normal(size=true.shape)
        lies: list[Callable[[], np.ndarray]] = [
            lambda: true * self.rng.choice([1.001, 1.5, 10.0, 1e6, 1e300]),
            lambda: true + noise * self.rng.choice([1e-9, 1e-3, 1.0, 1e9]),
            lambda: np.abs(noise),
            lambda: -true,
            lambda: np.zeros_like(true),
            lambda: np.ones_like(true),
            lambda: np.full_like(true, self.rng.choice([np.nan, np.inf, -np.inf])),
            lambda: np.where(noise > 0.5, np.nan, true),
            lambda: np.where(noise > 0.5, np.abs(noise), true),
            lambda: self.rng.permutation(true),
        ]
        return lies[self.rng.integers(len(lies))]()

    def number(self, true: float) -> float:
        return float(self.rng.choice([true + 1, true - 1, 2 * true, 1e6, -1e6, np.nan, np.inf]))


@contextmanager
def lying(kind: str, rng: np.random.Generator) -> Iterator[Liar]:
    """Let one function of the solvers of a kind lie, or all of them; or some of several kinds."""
    liar = Liar(rng)
    replaced = _REPLACED[kind](liar)
    if kind == "several":
        replaced = [one for one in replaced if rng.random() < 0.5]
    elif rng.random() < 0.8:
        replaced = [replaced[rng.integers(len(replaced))]]
    with ExitStack() as stack:
        for target, name, lie in replaced:
            stack.enter_context(patch.object(target, name, lie))
        yield liar


Replaced = list[tuple[Any, str, Callable[..., Any]]]


def _raising(liar: Liar, true: Callable[..., Any], lie: Callable[..., Any]) -> Callable[..., Any]:
    """A call that may lie, or raise instead in one fit of twelve."""
    raises = liar.rng.random() < 1 / 12

    def called(*arguments: Any, **options: Any) -> Any:
        if not liar():
            return true(*arguments, **options)
        if raises:
            raise InjectedError("injected")
        return lie(*arguments, **options)

    return called


def _highs(liar: Liar) -> Replaced:
    true = {
        name: getattr(highspy.Highs, name)
        for name in ("run", "getModelStatus", "getSolution", "getInfo", "getDualRay",
                     "changeColsBounds", "addRow", "deleteRows")
    }  # fmt: skip

    def solution(highs: Any) -> Any:
        told = true["getSolution"](highs)
        vectors = {
            name: list(getattr(told, name))
            for name in ("col_value", "col_dual", "row_value", "row_dual")
        }
        for name in liar.rng.permutation(list(vectors))[: liar.rng.integers(1, 5)]:
            vectors[name] = liar.numbers(vectors[name]).tolist()
            if liar.rng.random() < 0.1:
                vectors[name] = vectors[name][1:]
        return SimpleNamespace(**vectors, value_valid=True, dual_valid=True)

    def info(highs: Any) -> Any:
        told = true["getInfo"](highs)
        return SimpleNamespace(objective_function_value=liar.number(told.objective_function_value))

    def ray(highs: Any, *arguments: Any) -> Any:
        n_rows = highs.getNumRow() + int(liar.rng.random() < 0.1)
        return highspy.HighsStatus.kOk, True, liar.numbers(np.abs(liar.rng.normal(size=n_rows)))

    def status(highs: Any) -> Any:
        likely = [highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible]
        return liar.rng.choice(np.array(likely if liar.rng.random() < 0.6 else STATUSES))

    lies: dict[str, Callable[..., Any]] = {
        "run": lambda highs: highspy.HighsStatus.kOk,  # the solution stays as it was
        "getModelStatus": status,
        "getSolution": solution,
        "getInfo": info,
        "getDualRay": ray,
        # done, it says
        "changeColsBounds": lambda *_: highspy.HighsStatus.kOk,
        "addRow": lambda *_: highspy.HighsStatus.kOk,
        "deleteRows": lambda *_: highspy.HighsStatus.kOk,
    }
    return [(highspy.Highs, name, _raising(liar, true[name], lies[name])) for name in lies]


def _support(liar: Liar, true: np.ndarray, n_rows: int) -> np.ndarray:
    """Other rows than the true ones, or the same in another order."""
    if liar.rng.random() < 0.5:
        return liar.rng.permutation(true)
    return liar.rng.integers(0, max(n_rows, 1), len(true))


def _active_set(liar: Liar) -> Replaced:
    solve, least_norm = feasibility.solve, settling.least_norm
    thin_out_kernel = active_set.thin_out_kernel

    def lie_of_solve(rows: Any, rhs: Any, wanted: Any, n_wanted: Any, *start: Any) -> Any:
        status, size, theta, active, u = solve(rows, rhs, wanted, n_wanted, *start)
        if liar.rng.random() < 0.5:
            status = int(liar.rng.integers(-1, 2))
        if liar.rng.random() < 0.4:
            theta = liar.numbers(theta)
        if liar.rng.random() < 0.5:
            size = int(liar.rng.integers(0, len(active) + 1))
            active[size:], u[size:] = 0, 0.0
            active[:size] = _support(liar, active[:size], len(rows)) % max(len(rows), 1)
        if liar.rng.random() < 0.5:
            u = liar.numbers(u)
        return status, size, theta, active, u

    def lie_of_least_norm(rows: Any, rhs: Any, wanted: Any, start: Any) -> Any:
        _, theta, support, u = least_norm(rows, rhs, wanted, start)
        return (
            int(liar.rng.integers(-1, 2)),
            liar.numbers(theta),
            _support(liar, support, len(rows)),
            liar.numbers(u),
        )

    def lie_of_thin_out(
        rows: Any, rhs: Any, wanted: Any, groups: Any, group_of: Any,
        alive: Any, needed: Any, witnesses: Any, support: Any, multipliers: Any,
    ) -> Any:  # fmt: skip
        size = thin_out_kernel(
            rows, rhs, wanted, groups, group_of, alive, needed, witnesses, support, multipliers
        )
        if liar.rng.random() < 0.6:
            alive[:] = liar.rng.random(len(alive)) < 0.5
        if liar.rng.random() < 0.5:
            multipliers[:] = liar.numbers(np.nan_to_num(multipliers))
        if liar.rng.random() < 0.4:
            witnesses[:] = liar.numbers(witnesses)
        if liar.rng.random() < 0.5:
            size = int(liar.rng.integers(0, len(support) + 1))
            support[:size] = _support(liar, support[:size], len(rows)) % max(len(rows), 1)
        return size

    return [
        (feasibility, "solve", _raising(liar, solve, lie_of_solve)),
        (active_set, "thin_out_kernel", _raising(liar, thin_out_kernel, lie_of_thin_out)),
        (settling, "least_norm", _raising(liar, least_norm, lie_of_least_norm)),
    ]


def _spectra(liar: Liar) -> Replaced:
    eigvalsh, eigh = np.linalg.eigvalsh, np.linalg.eigh

    def lie_of_eigh(matrix: Any) -> Any:
        values, vectors = eigh(matrix)
        return liar.numbers(values), liar.numbers(vectors)

    return [
        (np.linalg, "eigvalsh", _raising(liar, eigvalsh, lambda m: liar.numbers(eigvalsh(m)))),
        (np.linalg, "eigh", _raising(liar, eigh, lie_of_eigh)),
    ]


def _several(liar: Liar) -> Replaced:
    return [*_highs(liar), *_active_set(liar), *_spectra(liar)]


_REPLACED = {
    "HiGHS": _highs,
    "active set": _active_set,
    "spectra": _spectra,
    "several": _several,
}
