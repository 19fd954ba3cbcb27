"""Kernels of a search, loaded or compiled before its clock starts."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sklearn_reclink.families import Family
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.cells.search import compile_kernels as compile_cells
from sklearn_reclink.solvers.feasibility import compile_kernels
from sklearn_reclink.solvers.problem import Problem

_MOST_CELL_PARAMETERS = 8


def cells_apply(family: Family) -> bool:
    """Whether a proof by cells is worth a try."""
    few = family.n_parameters <= _MOST_CELL_PARAMETERS
    return family.monotone and family.generators is not None and few


def compile_search(problem: Problem) -> None:
    """Load or compile the kernels, so that the clock starts on the problem itself."""
    family, index = problem.family, problem.index
    if not family.monotone or not index.is_dense:
        few = Index(index.original[:2], index.masked[:2], caps=index.caps, dense_pairs=0)
        few.nearest_impostors(family, family.centre[None], np.arange(1))
        if not index.is_dense:
            few.linked(family, family.centre)
            _ = few.dominated
    if cells_apply(family):
        with _no_collection():
            compile_cells()
    else:
        compile_checks(family)


def compile_checks(family: Family) -> None:
    """Load or compile the kernels of feasibility checks."""
    with _no_collection():
        compile_kernels(family)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector, which takes a fifth of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
