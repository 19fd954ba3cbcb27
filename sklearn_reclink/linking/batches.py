"""Questions in batches of records, on joblib's workers.

A batch is one call of `ask`, a function that can be pickled, with an engine of plain arrays: joblib
runs it in threads by default, and in processes or on a cluster where ``joblib.parallel_config``
says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

# Seconds of work that are announced, and between two lines of progress.
_LONG = 5.0


class Engine(Protocol):
    """What answers questions about batches of records."""

    @property
    def name(self) -> str:
        """What progress calls it."""

    @property
    def order(self) -> np.ndarray:
        """All records, in the order in which they are best asked."""

    @property
    def batch_size(self) -> int:
        """Number of records of a batch."""


def ask(
    engine: Engine, question: str, records: np.ndarray, options: dict[str, Any]
) -> tuple[np.ndarray, ...]:
    """Put one question to the engine about a batch of records."""
    answer: tuple[np.ndarray, ...] = getattr(engine, question)(records, **options)
    return answer


def ask_all(
    engine: Engine,
    question: str,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> tuple[np.ndarray, ...]:
    """Put a question about every record, and join the answers in the order of the records."""
    order = engine.order
    size = engine.batch_size
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    answers: Iterable[tuple[np.ndarray, ...]]
    if len(batches) == 1:  # not worth a worker
        answers = [ask(engine, question, batches[0], options)]
    elif verbose > 0:
        answers = _reported(engine, question, batches, options, n_jobs)
    else:
        answers = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(ask)(engine, question, batch, options) for batch in batches
        )
    joined: list[np.ndarray] = []
    for batch, parts in zip(batches, answers, strict=True):
        if not joined:
            joined = [np.empty((len(order), *part.shape[1:]), part.dtype) for part in parts]
        for whole, part in zip(joined, parts, strict=True):
            whole[batch] = part
    return tuple(joined)


def _reported(
    engine: Engine,
    question: str,
    batches: list[np.ndarray],
    options: dict[str, Any],
    n_jobs: int | None,
) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers one by one, with lines of progress; the first batch tells the time to expect."""
    total = sum(len(batch) for batch in batches)
    start = time.perf_counter()
    yield ask(engine, question, batches[0], options)
    seconds = time.perf_counter() - start
    workers = effective_n_jobs(n_jobs)
    expected = seconds * (total / len(batches[0]) - 1) / workers
    if expected > _LONG:
        print(
            f"linking {total:,} records by {engine.name}, about {expected:,.0f} s "
            f"on {workers} workers",
            flush=True,
        )
    answers = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(ask)(engine, question, batch, options) for batch in batches[1:]
    )
    done = len(batches[0])
    start = said = time.perf_counter()
    for batch, answer in zip(batches[1:], answers, strict=True):
        yield answer
        done += len(batch)
        now = time.perf_counter()
        if now - said > _LONG:
            said = now
            left = (now - start) * (total - done) / (done - len(batches[0]))
            print(f"linked {done:,} of {total:,} records, {left:,.0f} s left", flush=True)
