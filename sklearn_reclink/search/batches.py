"""Questions in batches of records, on joblib's workers.

A batch is one call of `ask`, a function that can be pickled, with a task of plain arrays and the
number of its first record: joblib runs it in threads by default, and in processes or on a cluster
where ``joblib.parallel_config`` says so. A cluster keeps the task, which is large, and sends it to
each worker once. A batch owns nothing large: when its worker dies, another worker can do it. When
the task itself is lost with its last worker, it is sent once more.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from sklearn_reclink.search.index import Search

# Seconds of work that are announced if it is verbose, and between two lines of progress.
_LONG = 5.0
# Times that a task may be lost with all workers that held it.
_LOSSES = 3


@dataclass(frozen=True, eq=False)
class Task:
    """A question about many records: all that the workers share.

    Parameters
    ----------
    search : Search
    question : str
        A method of the search.
    options : dict
        What else the method takes.
    records : ndarray of int of shape (n_asked,), or range
        In the order of the batches; a batch is ``search.batch_size`` of them in a row.
    """

    search: Search
    question: str
    options: dict[str, Any]
    records: np.ndarray | range

    def __sizeof__(self) -> int:
        return sys.getsizeof(self.search) + getattr(self.records, "nbytes", 0)

    @property
    def starts(self) -> range:
        """Where the batches begin."""
        return range(0, len(self.records), self.search.batch_size)


def ask(task: Task, start: int) -> tuple[np.ndarray, ...]:
    """Answer the question for one batch of records."""
    answer = getattr(task.search, task.question)
    batch = task.records[start : start + task.search.batch_size]
    parts: tuple[np.ndarray, ...] = answer(batch, **task.options)
    return parts


def ask_in_batches(
    task: Task, places: np.ndarray, *, n_jobs: int | None = None, verbose: int = 0
) -> tuple[np.ndarray, ...]:
    """The answers of all batches, joined; that of ``task.records[i]`` is in row ``places[i]``."""
    starts, size = task.starts, task.search.batch_size
    answers: Iterable[tuple[np.ndarray, ...]]
    if len(starts) == 1:  # not worth a worker
        answers = [ask(task, 0)]
    elif verbose > 0:
        answers = _reported(task, n_jobs)
    else:
        answers = _answers(task, starts, n_jobs)
    wholes: list[np.ndarray] = []
    for start, parts in zip(starts, answers, strict=True):
        if not wholes:
            wholes = [np.empty((len(places), *part.shape[1:]), part.dtype) for part in parts]
        for whole, part in zip(wholes, parts, strict=True):
            whole[places[start : start + size]] = part
    return tuple(wholes)


def _answers(
    task: Task, starts: range, n_jobs: int | None, return_as: str = "list"
) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers of the batches, in their order."""
    done = losses = 0
    while done < len(starts):
        where = {"require": "sharedmem"} if task.search.local else {"prefer": "threads"}
        workers = Parallel(n_jobs=n_jobs, return_as=return_as, **where)
        try:
            for answer in workers(delayed(ask)(task, start) for start in starts[done:]):
                yield answer
                done += 1
        except CancelledError:  # the workers that held the task are gone
            losses += 1
            if losses > _LOSSES:
                raise


def _reported(task: Task, n_jobs: int | None) -> Iterator[tuple[np.ndarray, ...]]:
    """The answers one by one, with lines of progress; the first batch tells the time to expect."""
    total, size = len(task.records), task.search.batch_size
    start = time.perf_counter()
    yield ask(task, 0)
    seconds = time.perf_counter() - start
    workers = effective_n_jobs(n_jobs)
    expected = seconds * (total / size - 1) / workers
    if expected > _LONG:
        print(
            f"linking {total:,} records by {task.search.name}, about {expected:,.0f} s "
            f"on {workers} workers",
            flush=True,
        )
    done = size
    start = said = time.perf_counter()
    for answer in _answers(task, task.starts[1:], n_jobs, "generator"):
        yield answer
        done = min(done + size, total)
        now = time.perf_counter()
        if now - said > _LONG:
            said = now
            left = (now - start) * (total - done) / (done - size)
            print(f"linked {done:,} of {total:,} records, {left:,.0f} s left", flush=True)
