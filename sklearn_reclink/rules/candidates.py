"""Prices of large files, from the best pairs of every record and the sum over the rest.

``s_ij`` falls quickly: of the sums ``sum_i exp(s_ij)`` and ``sum_j exp(s_ij - price_j)`` a few
*candidates* make up nearly all. A tree (`search.priced`) finds the ``K`` best pairs of every
original and of every masked record, but none below ``e^-depth`` of the best one, and estimates the
sums over all pairs with them. Let ``S`` be the sum over all and ``C`` the part of the candidates.
Sinkhorn's scaling then runs on the candidates alone, every sum multiplied by its ``S / C``, as if
what is left out were scaled as the candidates are. So ``"density"`` has the error of ``S`` only,
and ``"balanced"`` is exact as ``K`` and the depth grow. Equal records are one point with a count:
their prices are equal, as with all pairs.

Given prices, links are exact: the search prunes, but leaves out no masked record that could be
nearest. What is approximate is the prices. ``C / S`` is known for every record: where candidates
hold nearly all of the sums, prices are those of all pairs. ``verbose`` prints its mean.
"""

from hashlib import blake2b
from typing import Any

import numpy as np

from sklearn_reclink.rules.balancing import settled_prices
from sklearn_reclink.search.priced import Coordinates, PricedSearch, plant


def search_with_prices(
    coordinates: Coordinates,
    rule: str,
    scale: float = 1.0,
    *,
    n_candidates: int = 32,
    budget: int = 2**13,
    depth: float = 8.0,
    max_iter: int = 30,
    tol: float = 1e-3,
    memory: dict[str, np.ndarray] | None = None,
    **work: Any,
) -> PricedSearch:
    """The search with the prices of a rule, added to the distances in their unit.

    Parameters
    ----------
    coordinates : Coordinates
    rule : {"nearest", "density", "balanced", "one_to_one"}
        Only the two in the middle have prices.
    scale : float, default=1.0
        ``s_ij = -d_ij / scale``.
    n_candidates : int, default=32
        Best pairs of every record of both files.
    budget : int, default=2**13
        Most records that the search for candidates looks at. What it did not look at is in the
        sums, by a sample.
    depth : float, default=8.0
        How far, in the scores, a candidate may be below the best one.
    max_iter, tol
        As in `balanced_prices`.
    memory : dict or None, default=None
        Prices of the last files, by a digest of these; those of other files take their place.
    **work
        ``n_jobs`` and ``verbose``.
    """
    forward = plant(coordinates)
    if rule not in ("density", "balanced"):
        return forward
    options = {"k": n_candidates, "scale": scale, "budget": budget, "depth": depth * scale}
    memory = {} if memory is None else memory
    key = _digest(coordinates, rule, options, max_iter, tol)
    if key not in memory:
        prices = _prices(coordinates, forward, rule, options, max_iter, tol, **work)
        memory.clear()
        memory[key] = prices
    return forward.with_prices(scale * memory[key])


def _digest(coordinates: Coordinates, *options: object) -> str:
    """A digest of two files, of their distance and of what is asked."""
    found = blake2b(repr(options).encode())
    for part in (*coordinates.model, *coordinates.bounding, *coordinates.exact):
        array = np.ascontiguousarray(part)
        found.update(repr((array.dtype, array.shape)).encode())
        found.update(array.data)
    return found.hexdigest()


def _prices(
    coordinates: Coordinates,
    forward: PricedSearch,
    rule: str,
    options: dict[str, Any],
    max_iter: int,
    tol: float,
    **work: Any,
) -> np.ndarray:
    """The prices of the points of ``forward``, in units of the scale."""
    backward, scale = plant(coordinates, flipped=True), options["scale"]
    n_records, n_masked = forward.shape
    found, _, _, masked_sums = backward.ask("candidates", forward.first_rows, **options, **work)
    if rule == "density":
        return np.asarray(masked_sums)
    start = np.zeros_like(masked_sums) if n_masked > n_records else masked_sums
    priced = forward.with_prices(scale * start)
    own_found, _, _, sums = priced.ask("candidates", backward.first_rows, **options, **work)
    keys = _keys(own_found, found, forward.n_points)
    del own_found, found
    from sklearn_reclink.rules.sinkhorn_kernel import log_sums, wanted

    # candidates by original point, in compressed rows
    starts = np.searchsorted(keys, forward.n_points * np.arange(backward.n_points + 1))
    columns = (keys % forward.n_points).astype(np.int32)
    records = backward.first_rows[keys // forward.n_points]
    scores = -forward.distances_at(records, columns) / scale
    counts = backward.point_counts, forward.point_counts
    held, masked_held = log_sums(starts, columns, scores, start, *counts)
    rest = np.maximum(sums - held, 0.0)  # log(S / C)
    masked_rest = np.maximum(masked_sums - masked_held, 0.0)
    if work.get("verbose", 0) > 0:
        shares = [100 * float(np.exp(-one).mean()) for one in (rest, masked_rest)]
        print(
            f"{len(keys):,} candidates hold {shares[0]:.1f}% of the probability of an original "
            f"record on average, {shares[1]:.1f}% of that of a masked one",
            flush=True,
        )

    def demand(prices: np.ndarray) -> np.ndarray:
        return np.asarray(
            wanted(starts, columns, scores, prices, *counts, rest, n_records > n_masked)
        )

    return settled_prices(
        start, demand, forward.shape, rest=masked_rest, max_iter=max_iter, tol=tol
    )


def _keys(of_original: np.ndarray, of_masked: np.ndarray, n_masked: int) -> np.ndarray:
    """Sorted keys ``original * n_masked + masked`` of the pairs in either list."""
    own = np.arange(len(of_original), dtype=np.int64)[:, None] * n_masked + of_original
    other = of_masked.astype(np.int64) * n_masked + np.arange(len(of_masked))[:, None]
    keys = np.concatenate([own[of_original >= 0], other[of_masked >= 0]])
    keys.sort()
    return keys[np.append(True, keys[1:] != keys[:-1])]
