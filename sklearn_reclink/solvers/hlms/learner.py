"""HLMS: a capacity by gradient steps, after the 2012 heuristic paper; it proves nothing.

For record ``i`` let ``S_i = { j : d_ij <= d_ii }`` be the impostors at most as far as its own
masked record. The paper starts from the equilibrium ``mu(A) = |A| / n``, the Euclidean distance.
For one record after another it moves ``mu`` so that ``d_ii - d_ij`` falls for all ``j`` in
``S_i``, and repairs monotonicity after Grabisch. With ``phi_ij`` the features of the Choquet
integral, ``d_ij = mu . phi_ij``, the step of a record is here::

    mu  <-  repair( mu + rate * s * mean_{j in S_i} g_ij / |g_ij| ),  g_ij = s * (phi_ij - phi_ii)

where ``s`` scales every value of the capacity. An epoch visits all records once, shuffled; the
best capacity after any epoch is kept, the start included, so the end is never below the
Euclidean distance.

Departures from the paper:

* Unit gradients, averaged over ``S_i``: the differences of a heavy-tailed file span many orders
  of magnitude, and so would the steps.
* *Relative* steps, ``s = max(mu, 1e-4)``, where the paper has ``s = 1``: capacities that link many
  records have values of very different size, and a step of 0.01 is far for one near 0.
* The rate falls linearly to 0 over the epochs.
* A record that an impostor matches or beats in every variable is *dominated*: no capacity links
  it (law 7 of a monotone distance), and it makes no step.
* ``S_i`` holds 12 impostors at most, found by a tree search with the capacity at the beginning
  of a block of records: an epoch is near-linear in ``N``, where the paper's is quadratic.
* *Refinement.* Exact line searches between capacities (`refinement`) start from the best of the
  epochs, and again from the additive capacity with inverse variances as weights. Of a large file
  they look at 5,000 records, each among all masked records; what they find is counted on the
  whole file.

Units and order do not matter: columns are sorted by masking error, records by own distance, and
coordinates rounded to about ten digits, before anything is learned.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from sklearn_reclink.capacity import additive_capacity, subset_sizes
from sklearn_reclink.families.base import simple_weights
from sklearn_reclink.solvers.hlms import kernel
from sklearn_reclink.solvers.hlms.impostors import Files
from sklearn_reclink.solvers.hlms.refinement import refine

ABSOLUTE = 1.0  # the floor of the scale s: mu(A) <= 1, so that s = 1
RELATIVE = kernel.RELATIVE_FLOOR

_BLOCKS = 16  # of an epoch, each of at least _BLOCK records
_BLOCK = 16
SHARE_OF_EPOCHS = 0.5  # in the time limit, if the rest refines


@dataclass(frozen=True)
class Learned:
    """A capacity, how many records it links, and how it was found.

    Attributes
    ----------
    capacity : ndarray of shape (2**n_features,)
    n_linked : int
        Counted on rounded coordinates.
    history : ndarray of int of shape (n_epochs + 1,)
        Records linked at the equilibrium and after every epoch.
    complete : bool
        Whether all epochs and line searches were made.
    """

    capacity: np.ndarray
    n_linked: int
    history: np.ndarray
    complete: bool


def compile_kernels(original: np.ndarray, masked: np.ndarray) -> None:
    """Load or compile the kernels on a few records, so that the clock starts on the file itself."""
    few = original[:8], np.roll(masked[: len(original[:8])], 1, axis=0)  # not all of them linked
    learn(*few, rng=np.random.default_rng(0), max_iter=1, n_lines=1)


def learn(
    original: np.ndarray,
    masked: np.ndarray,
    *,
    rng: np.random.Generator,
    learning_rate: float = 0.1,
    max_iter: int = 10,
    n_lines: int = 300,
    floor: float = RELATIVE,
    time_limit: float = np.inf,
    n_jobs: int | None = None,
    verbose: int = 0,
    n_sample: int = 5000,
    batch: int = 1024,
) -> Learned:
    """Learn a capacity from two aligned files of coordinates, (n_records, n_features).

    Parameters
    ----------
    learning_rate, max_iter
        Length of the first steps, and number of epochs.
    n_lines, floor
        Line searches from each start of the refinement; `RELATIVE` or `ABSOLUTE` steps.
    n_sample, batch
        Records at most that the refinement looks at, and that a thread searches at once.
    """
    begin = time.monotonic()
    columns, original, masked = _canonical(original, masked)
    files = Files(original, masked, n_jobs, batch)

    def report(stage: str, n_linked: int) -> None:
        if verbose:
            seconds = time.monotonic() - begin
            print(f"[{seconds:6.1f} s] {stage}: {n_linked} of {len(original)} records linked")

    best = equilibrium(original.shape[1])
    history = [files.count(best)]
    most = history[0]
    report("equilibrium", most)
    share = SHARE_OF_EPOCHS if n_lines else 1.0
    step, pause = partial(files.stepped, floor=floor), begin + share * time_limit
    for capacity in epochs(best, step, len(original), rng, learning_rate, max_iter, pause):
        history.append(files.count(capacity))
        report(f"epoch {len(history) - 1}", history[-1])
        if history[-1] > most:
            best, most = capacity, history[-1]
    complete = len(history) > max_iter or files.all_linked(most)
    starts = (best, inverse_variances(original, masked)) if n_lines else ()
    for number, start in enumerate(starts):
        if files.all_linked(most):
            break
        left = begin + time_limit - time.monotonic()
        pause = time.monotonic() + left / (len(starts) - number)
        capacity, finished = refine(files, start, rng, n_lines, pause, n_sample)
        n_linked = files.count(capacity)
        report("refinement", n_linked)
        complete &= finished
        if n_linked > most:
            best, most = capacity, n_linked
    return Learned(_with_columns(best, columns), most, np.array(history), complete)


def equilibrium(n_features: int) -> np.ndarray:
    """``mu(A) = |A| / n``: the Euclidean distance."""
    return np.asarray(subset_sizes(n_features) / n_features)


def inverse_variances(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """The additive capacity that weighs every variable by the inverse variance of its error."""
    capacity = additive_capacity(simple_weights(original - masked[: len(original)])[1])
    capacity[-1] = 1.0
    kernel.lift(capacity)
    return capacity


def epochs(
    parameters: np.ndarray,
    step: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    n_records: int,
    rng: np.random.Generator,
    learning_rate: float,
    max_iter: int,
    deadline: float,
) -> Iterator[np.ndarray]:
    """The parameters after every epoch, as long as there is time.

    ``step`` takes parameters, a block of records and the rate.
    """
    n_blocks = max(1, min(_BLOCKS, n_records // _BLOCK))
    for epoch in range(max_iter):
        rate = learning_rate * (1 - epoch / max_iter)
        for block in np.array_split(rng.permutation(n_records), n_blocks):
            if time.monotonic() >= deadline:
                return
            parameters = step(parameters, block, rate)
        yield parameters


def _canonical(
    original: np.ndarray, masked: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns in the order of their masking error, records of their own distance, rounded."""
    spread = np.std(original, axis=0)
    unit = np.exp2(np.round(np.log2(np.where(spread > 0, spread, 1.0))) - 33)
    original, masked = (np.round(file / unit) * unit for file in (original, masked))
    squares = (original - masked[: len(original)]) ** 2
    columns = np.argsort(squares.mean(axis=0), kind="stable")
    records = np.argsort(squares[:, columns].sum(axis=1), kind="stable")
    beyond = np.arange(len(original), len(masked))  # impostors only
    return (
        columns,
        np.ascontiguousarray(original[records][:, columns]),
        np.ascontiguousarray(masked[np.append(records, beyond)][:, columns]),
    )


def _with_columns(capacity: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The capacity of sorted columns as one of the columns before: position p was columns[p]."""
    members = np.arange(len(capacity))[:, None] >> np.arange(len(columns)) & 1
    restored = np.empty_like(capacity)
    restored[members @ (1 << columns)] = capacity
    return restored
