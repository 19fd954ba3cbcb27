"""Questions in batches of records, on joblib's workers.

A batch is one call of `ask`, a function that can be pickled, with an inquiry of plain arrays and
the number of its first record: joblib runs it in threads by default, and in processes or on a
cluster where ``joblib.parallel_config`` says so. A cluster keeps the inquiry, which is large, and
sends it to each worker once. A batch owns nothing large: when its worker dies, another worker can
do it. When the inquiry itself is lost with its last worker, it is sent once more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

# Seconds of work that are announced, and between two lines of progress.
_LONG = 5.0
# Times that an inquiry may be lost with all workers that held it.
_LOSSES = 3


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


@dataclass(frozen=True, eq=False)
class Inquiry:
    """A question about every record: all that the workers share.

    Parameters
    ----------
    engine : Engine
    question : str
        A method of the engine.
    options : dict
        What else the method takes.
    order : ndarray of shape (n_records,)
        All records; a batch is ``batch_size`` of them in a row.
    batch_size : int
    """

    engine: Engine
    question: str
    options: dict[str, Any]
    order: np.ndarray
    batch_size: int

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.engine) + self.order.nbytes

    @property
    def starts(self) -> range:
        """Where the batches begin."""
        return range(0, len(self.order), self.batch_size)

    def batch(self, start: int) -> np.ndarray:
        """The records of a batch."""
        return self.order[start : start + self.batch_size]


def ask(inquiry: Inquiry, start: int) -> tuple[np.ndarray, ...]:
    """Put the question to the engine about one batch of records."""
    answer = getattr(inquiry.engine, inquiry.question)
    parts: tuple[np.ndarray, ...] = answer(inquiry.batch(start), **inquiry.options)
    return parts


def ask_all(
    engine: Engine,
    question: str,
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
    **options: Any,
) -> tuple[np.ndarray, ...]:
    """Put a question about every record, and join the answers in the order of the records."""
    inquiry = Inquiry(engine, question, options, engine.order, engine.batch_size)
    starts = inquiry.starts
    answers: Iterable[tuple[np.ndarray, ...]]
    if len(starts) == 1:  # not worth a worker
        answers = [ask(inquiry, 0)]
    elif verbose > 0:
        answers = _reported(inquiry, n_jobs)
    else:
        answers = _answers(inquiry, starts, n_jobs)
    joined: list[np.ndarray] = []
    for start, parts in zip(starts, answers, strict=True):
        if not joined:
            joined = [np.empty((len(inquiry.order), *part.shape[1:]), part.dtype) for part in parts]
        for whole, part in zip(joined, parts, strict=True):
            whole[inquiry.batch(start)] = part
    return tuple(joined)


def _answers(
    inquiry: Inquiry, starts: range, n_jobs: int | None, return_as: str = "list"
) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers of the batches, in their order."""
    done = losses = 0
    while done < len(starts):
        workers = Parallel(n_jobs=n_jobs, prefer="threads", return_as=return_as)
        try:
            for answer in workers(delayed(ask)(inquiry, start) for start in starts[done:]):
                yield answer
                done += 1
        except CancelledError:  # the workers that held the inquiry are gone
            losses += 1
            if losses > _LOSSES:
                raise


def _reported(inquiry: Inquiry, n_jobs: int | None) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers one by one, with lines of progress; the first batch tells the time to expect."""
    total, size = len(inquiry.order), inquiry.batch_size
    start = time.perf_counter()
    yield ask(inquiry, 0)
    seconds = time.perf_counter() - start
    workers = effective_n_jobs(n_jobs)
    expected = seconds * (total / size - 1) / workers
    if expected > _LONG:
        print(
            f"linking {total:,} records by {inquiry.engine.name}, about {expected:,.0f} s "
            f"on {workers} workers",
            flush=True,
        )
    done = size
    start = said = time.perf_counter()
    for answer in _answers(inquiry, inquiry.starts[1:], n_jobs, "generator"):
        yield answer
        done = min(done + size, total)
        now = time.perf_counter()
        if now - said > _LONG:
            said = now
            left = (now - start) * (total - done) / (done - size)
            print(f"linked {done:,} of {total:,} records, {left:,.0f} s left", flush=True)
