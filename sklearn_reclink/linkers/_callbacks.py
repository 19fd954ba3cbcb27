"""Progress of a fit through the callbacks of scikit-learn, where its version has them (1.9).

Callbacks see a tree of tasks. The root is the fit of a linker; its children are the searches, one
for each way to standardise and once more where time is left for another. How many there will be is
not known beforehand. A search has no iterations to count, so it is a leaf::

    GridSearchCV -> candidate and fold -> fit of a linker -> standardize='rank'

A callback cannot stop a fit between two searches: a bound that leaves out a way to standardise is
not the bound asked for. ``time_limit`` ends a search, and an interrupt leaves the linker as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before scikit-learn 1.9 there are no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""


def reports_tasks(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Let `fit` tell the callbacks of an estimator when it begins and ends."""

    @wraps(fit)
    def reporting(self: Any, X: Any, y: Any = None, *arguments: Any, **options: Any) -> Any:
        if not hasattr(self, "_skl_callbacks"):
            return fit(self, X, y, *arguments, **options)
        with fit_task(self, X, y):
            return fit(self, X, y, *arguments, **options)

    return reporting


@contextmanager
def fit_task(estimator: Any, X: Any, y: Any) -> Iterator[None]:
    """The fit of an estimator that has callbacks."""
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    yield
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y)


def in_tasks(turns: Iterable[tuple[Any, dict[str, Any]]]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The searches of views, of each of which callbacks are told as it begins and ends."""
    for view, search in turns:
        linker = view.linker
        context, name = linker._callback_fit_ctx, f"standardize={linker.standardize_!r}"
        part = context.subcontext(task_name=name).call_on_fit_task_begin(estimator=linker)
        yield view, search
        part.call_on_fit_task_end(estimator=linker)


@contextmanager
def inner_fit(estimator: Any, inner: Any) -> Iterator[None]:
    """The fit of an estimator inside another, whose callbacks it gets where they ask for that."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is None:
        yield
        return
    part = context.subcontext(task_name=type(inner).__name__)
    with part.propagate_callback_context(inner):
        part.call_on_fit_task_begin(estimator=estimator)
        yield
    part.call_on_fit_task_end(estimator=estimator)
