"""The Choquet integral, d2CI of the papers.

With ``c_(1) <= ... <= c_(n)`` the squared differences in order and ``A_(k)`` the variables of the
``n - k + 1`` largest ones::

    d^2(a, b) = sum_k (c_(k) - c_(k-1)) mu(A_(k)),       mu(empty) = 0,  mu(all) = 1

Subsets are numbered by their dyadic representation: bit k is set iff variable k is in.

`Choquet` takes the capacity itself as ``theta``, one parameter a non-empty subset: a pair of
records touches only ``n`` of the ``2^n - 1`` features. `KAdditiveChoquet` takes the Moebius
transform ``m`` of subsets of at most ``k`` variables, in which
``d^2 = sum_A m(A) min_{i in A} c_i``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sklearn_reclink.capacity import mobius_to_capacity, n_variables, small_subsets
from sklearn_reclink.families.aggregation import Aggregation
from sklearn_reclink.families.base import Distance


class Choquet(Distance):
    """Increments of the ordered squared differences, one parameter a non-empty subset.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.families import Choquet
    >>> capacity = np.array([0.0, 0.2, 0.5, 1.0])  # empty, {0}, {1}, {0, 1}
    >>> theta = Choquet().pack(capacity)
    >>> values, _ = Choquet().evaluate(theta, np.array([[2.0, 1.0]]))
    >>> values  # 1 * mu({0, 1}) + (4 - 1) * mu({0})
    array([1.6])
    """

    monotone = True
    non_negative = True

    def n_parameters(self, n_features: int) -> int:
        return 2**n_features - 1

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        yield from np.moveaxis(self.features(differences), -1, 0)

    def features(self, differences: np.ndarray) -> np.ndarray:
        increments, subsets = _increments(differences)
        features = np.zeros((*differences.shape[:-1], self.n_parameters(differences.shape[-1])))
        for k in range(differences.shape[-1]):
            np.put_along_axis(features, subsets[..., k, None] - 1, increments[..., k, None], -1)
        return features

    def evaluate(self, theta: np.ndarray, differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        increments, subsets = _increments(differences)
        values = np.zeros(differences.shape[:-1])
        for k in range(differences.shape[-1]):
            values += increments[..., k] * theta[subsets[..., k] - 1]
        return values, values

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        capacity = np.concatenate([[0.0], theta])
        below = _monotone_below(capacity)
        return Aggregation("choquet", below, capacity) if below.min() >= 0 else None

    def labels(self, variables: Sequence[str]) -> list[str]:
        return [_joined(subset, variables) for subset in range(1, 2 ** len(variables))]

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(parameters, dtype=float)[1:]

    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        return np.concatenate([[0.0], theta / theta[-1]])


def _increments(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``c_(k) - c_(k-1)`` and the dyadic numbers of ``A_(k)``, both (..., n_features)."""
    squares = differences**2
    order = np.argsort(squares, axis=-1, kind="stable")
    increments = np.diff(np.take_along_axis(squares, order, axis=-1), axis=-1, prepend=0.0)
    subsets = np.cumsum((1 << order)[..., ::-1], axis=-1)[..., ::-1]
    return increments, subsets


def _monotone_below(capacity: np.ndarray) -> np.ndarray:
    """The largest monotone set function below one; a capacity is its own, up to rounding."""
    below = capacity.copy()
    for k in range(n_variables(capacity)):
        halves = below.reshape(-1, 2, 2**k)  # without and with variable k
        np.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])
    below[0] = min(below[0], 0.0)
    return below


def _joined(subset: int, variables: Sequence[str]) -> str:
    return "_".join(word for k, word in enumerate(variables) if subset >> k & 1)


class KAdditiveChoquet(Distance):
    """Minima of the squared differences over small subsets, one parameter a subset.

    Parameters
    ----------
    order : int
        Size of the largest subsets with a Moebius coefficient of their own.
    """

    monotone = True
    non_negative = False  # Moebius coefficients may be negative

    def __init__(self, order: int) -> None:
        self.order = order

    def n_parameters(self, n_features: int) -> int:
        return len(small_subsets(n_features, self.order))

    def iter_features(self, differences: np.ndarray) -> Iterator[np.ndarray]:
        squares = differences**2
        n_features = differences.shape[-1]
        for subset in small_subsets(n_features, self.order):
            members = [k for k in range(n_features) if subset >> k & 1]
            smallest = squares[..., members[0]]
            for k in members[1:]:
                smallest = np.minimum(smallest, squares[..., k])
            yield smallest

    def aggregation(self, theta: np.ndarray, n_features: int) -> Aggregation | None:
        subsets = small_subsets(n_features, self.order)
        mobius = np.zeros(2**n_features)
        mobius[subsets] = theta
        capacity, magnitude = mobius_to_capacity(mobius), mobius_to_capacity(np.abs(mobius))
        below = _monotone_below(capacity)
        if below.min() < -1e-14 * magnitude[-1]:
            return None
        below = np.maximum(below, 0.0)
        # D and d are the integrals of |m| and m: their ratio is largest on one subset
        touched = magnitude > 0
        with np.errstate(divide="ignore"):
            condition = np.max(magnitude[touched] / below[touched], initial=1.0)
        return Aggregation(
            "choquet",
            below,
            theta,
            "moebius",
            terms=subsets,
            condition=float(condition),
            norm=float(magnitude[-1]),
        )

    def labels(self, variables: Sequence[str]) -> list[str]:
        subsets = small_subsets(len(variables), self.order)
        return [_joined(int(subset), variables) for subset in subsets]

    def pack(self, parameters: np.ndarray) -> np.ndarray:
        from sklearn_reclink.capacity import capacity_to_mobius

        mobius = capacity_to_mobius(np.asarray(parameters, dtype=float))
        return mobius[small_subsets(int(np.log2(len(mobius))), self.order)]

    def unpack(self, theta: np.ndarray, n_features: int) -> np.ndarray:
        mobius = np.zeros(2**n_features)
        mobius[small_subsets(n_features, self.order)] = theta
        capacity = mobius_to_capacity(mobius)
        return np.asarray(capacity / capacity[-1])
