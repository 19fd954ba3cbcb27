"""The log-likelihood of a pair: a mixture of three views of the masking error.

``z`` are standardised values and ``r`` ranks as shares of the file. For a pair with differences
``dz`` and ``dr``::

    s = w_value sum_k log f_k(dz_k) + w_rank sum_k log g_k(dr_k) - w_joint dz' C^-1 dz / 2

``f_k`` and ``g_k`` are the error densities of one variable, in values and in ranks; ``C`` is the
covariance of all errors, which shows which errors of one record go together. Which view fits
depends on the masking: ranks for swapping, values for noise, the joint view where variables are
masked together.

*Weights.* They are not negative and maximise the likelihood of the aligned pairs, each among all
original and all masked records of the training pairs, with a small penalty on the distance from
equal weights. The densities of a pair are those learned from the other pairs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from sklearn_reclink.likelihood.error_density import (
    ErrorDensity,
    ErrorRatio,
    learn_error_density,
)
from sklearn_reclink.search import Pairs

if TYPE_CHECKING:
    from sklearn_reclink.likelihood.mixed_likelihood import MixedLikelihood
    from sklearn_reclink.search.priced.planting import Coordinates

    Likelihood = TypeVar("Likelihood", "PairLikelihood", MixedLikelihood)

VIEWS = ("value", "rank", "joint")

_PENALTY = 1e-3
# The variances of a singular covariance of errors are raised to this part of the largest one.
_LEAST_VARIANCE = 1e-9
# Up to this many lookups in a file NumPy, some 5 times slower, is done before numba is loaded and
# the kernel compiled (1 s).
_FEW_LOOKUPS = 2**24
# Pairs whose temporaries stay in the processor's cache.
_CACHED_PAIRS = 2**13


@dataclass(frozen=True)
class PairLikelihood:
    """The log-likelihood that two records belong to the same person.

    Attributes
    ----------
    value_densities, rank_densities : list of ErrorDensity
        Densities of the error of each variable.
    whitening : ndarray of shape (n_features, n_features)
        ``W`` with ``W W' = C^-1``.
    weights : ndarray of shape (3,)
        Weights of the views, in the order of `VIEWS`.
    """

    value_densities: list[ErrorDensity]
    rank_densities: list[ErrorDensity]
    whitening: np.ndarray
    weights: np.ndarray

    def table(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Log-likelihoods of all pairs of some records, (n_records, n_masked).

        Records hold standardised values, then ranks: (n_records, 2 * n_features).
        """
        add_tabulated = lookup(masked)
        total = np.zeros((len(original), len(masked)))
        for k, logs, step in zip(*self.tables, strict=True):
            add_tabulated(total, original[:, k], masked[:, k], 1 / step, logs)
        if self.weights[2] > 0:
            total -= cdist(self.whitened(original), self.whitened(masked), "sqeuclidean")
        return total

    @property
    def tables(self) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """As `weighted_tables`."""
        return weighted_tables([*self.value_densities, *self.rank_densities], self.weights)

    def whitened(self, file: np.ndarray) -> np.ndarray:
        """Coordinates whose squared distance is minus the joint log-likelihood, with its weight."""
        # einsum, not BLAS: equal records keep equal coordinates to the last bit
        half = np.sqrt(self.weights[2] / 2) * self.whitening
        return np.asarray(np.einsum("ik,kl->il", file[:, : len(half)], half))


@dataclass(frozen=True, eq=False)
class LikelihoodPairs(Pairs):
    """All pairs of two files; the distance of a pair is minus its log-likelihood."""

    likelihood: "PairLikelihood | MixedLikelihood"
    original: np.ndarray
    masked: np.ndarray

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = -self.likelihood.table(self.original[records], self.masked)
        return values, np.abs(values)

    def coordinates(self) -> "Coordinates | None":
        """Both files as trees take them: those of the tables, then the whitened values.

        Those of a `MixedLikelihood` are in `mixed_coordinates`.
        """
        if not isinstance(self.likelihood, PairLikelihood):
            from sklearn_reclink.likelihood.mixed_coordinates import mixed_coordinates

            return mixed_coordinates(self.likelihood, self.original, self.masked)
        from sklearn_reclink.search.priced.planting import Coordinates
        from sklearn_reclink.search.priced.tabulated import tabulated

        found = self.likelihood
        used, logs, steps = found.tables
        # sides are measured by the error at which the density has fallen by a factor of e
        scales = [1 / lengths_of_fall(logs, steps)] if len(used) else []
        files = self.original, self.masked
        parts = [[file[:, used] for file in files]]
        if found.weights[2] > 0:
            scales.append(np.ones(len(found.whitening)))
            parts.append([found.whitened(file) for file in files])
        both = [np.ascontiguousarray(np.hstack(of_file)) for of_file in zip(*parts, strict=True)]
        return Coordinates(tabulated(logs, steps), both, both, np.concatenate(scales))


def learn_pair_likelihood(
    original: np.ndarray, masked: np.ndarray, views: tuple[str, ...] = VIEWS
) -> PairLikelihood:
    """Learn error densities and the weights of the views from aligned pairs.

    Parameters
    ----------
    original, masked : ndarray of shape (n_pairs, 2 * n_features)
        The pairs: standardised values, then ranks.
    views : tuple of str
        The views to use, some of `VIEWS`; the others have the weight 0.

    Returns
    -------
    PairLikelihood
    """
    errors = np.split(original - masked, 2, axis=1)  # of values and of ranks
    largest = np.maximum(
        original.max(axis=0) - masked.min(axis=0), masked.max(axis=0) - original.min(axis=0)
    )
    densities = [
        [learn_error_density(e, float(most)) for e, most in zip(of_view.T, ends, strict=True)]
        for of_view, ends in zip(errors, np.split(largest, 2), strict=True)
    ]
    whitening = whitening_of(errors[0].T @ errors[0] / len(errors[0]))
    left_out = [
        np.sum([f.left_out(e) for f, e in zip(of_view, of_errors.T, strict=True)], axis=0)
        for of_view, of_errors in zip(densities, errors, strict=True)
    ]
    squares = ((errors[0] @ whitening) ** 2).sum(axis=1)
    left_out.append(joint_left_out(squares, len(squares)))
    likelihood = PairLikelihood(densities[0], densities[1], whitening, np.zeros(len(VIEWS)))
    used = {view: left_out[view] for view, name in enumerate(VIEWS) if name in views}
    return weighed(likelihood, used, original, masked)


def weighed(
    likelihood: "Likelihood",
    left_out: dict[int, np.ndarray],
    original: np.ndarray,
    masked: np.ndarray,
) -> "Likelihood":
    """The same with the likeliest weights of some views.

    ``left_out`` are the scores of aligned pairs by view, each learned without the pair itself.
    """
    tables = np.empty((len(left_out), len(original), len(original)))
    for table, view in zip(tables, left_out, strict=True):
        alone = replace(likelihood, weights=np.eye(len(likelihood.weights))[view])
        table[:] = alone.table(original, masked)
        np.fill_diagonal(table, left_out[view])
    weights = np.zeros(len(likelihood.weights))
    weights[list(left_out)] = likeliest_weights(tables)
    return replace(likelihood, weights=weights)


def weighted_tables(
    densities: list[ErrorDensity] | list[ErrorRatio], weights: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Columns of values and then of ranks that count, their tables times the weight, their steps.

    ``densities`` are those of all these columns, ``weights`` those of the views.
    """
    of_columns = np.repeat(weights[:2], len(densities) // 2)
    used = np.flatnonzero(of_columns > 0)
    logs = [of_columns[k] * densities[k].logs for k in used]
    return used, logs, np.array([densities[k].step for k in used])


def likeliest_weights(tables: np.ndarray) -> np.ndarray:
    """Weights of tables of log-likelihoods that maximise the likelihood of the diagonal.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, n_records, n_records)
        Log-likelihoods of original record i and masked record j, aligned.

    Returns
    -------
    ndarray of shape (n_tables,)
        Not negative.
    """
    n_tables, n_records = tables.shape[:2]
    equal = np.full(n_tables, 1 / n_tables)
    own = np.einsum("tii->t", tables) / n_records

    def misfit(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.tensordot(weights, tables, 1)
        value, expected = 0.0, np.zeros(n_tables)
        for axis in (0, 1):
            top = scores.max(axis=axis, keepdims=True)
            shares = np.exp(scores - top)
            totals = shares.sum(axis=axis, keepdims=True)
            shares /= totals
            value += float((top + np.log(totals)).mean())
            expected += np.tensordot(tables, shares, 2) / n_records
        away = weights - equal
        return (
            value - 2 * float(weights @ own) + _PENALTY * float(away @ away),
            expected - 2 * own + 2 * _PENALTY * away,
        )

    bounds = [(0.0, None)] * n_tables
    return np.asarray(minimize(misfit, equal, jac=True, method="L-BFGS-B", bounds=bounds).x)


def lookup(masked: np.ndarray) -> Callable[..., None]:
    """What adds tabulated values of all pairs with a file: compiled, where that is worth while."""
    if masked.size * len(masked) <= _FEW_LOOKUPS:
        return _add_tabulated
    from sklearn_reclink.likelihood.table_kernel import add_tabulated

    found: Callable[..., None] = add_tabulated
    return found


def _add_tabulated(
    total: np.ndarray, original: np.ndarray, masked: np.ndarray, per_step: float, logs: np.ndarray
) -> None:
    """Add to every pair the tabulated value of its difference, like the compiled function."""
    last, rises = len(logs) - 1, np.append(np.diff(logs), 0.0)
    size = max(1, _CACHED_PAIRS // len(masked))
    for start in range(0, len(original), size):
        block = slice(start, start + size)
        place = np.minimum(np.abs(original[block, None] - masked) * per_step, last)
        below = place.astype(np.int32)
        total[block] += (place - below) * rises.take(below) + logs.take(below)


def joint_left_out(squares: np.ndarray, n_pairs: float) -> np.ndarray:
    """Joint log-likelihoods of the pairs by their whitened errors, each learned from the others.

    ``q_i = e_i' (E'E)^-1 e_i`` becomes ``q_i / (1 - q_i)`` without ``e_i`` (Sherman and Morrison).
    ``squares`` are ``n_pairs`` times ``q``.
    """
    q = np.minimum(squares / n_pairs, 1 - 1 / n_pairs)
    return np.asarray(-0.5 * (n_pairs - 1) * q / (1 - q))


def whitening_of(covariance: np.ndarray) -> np.ndarray:
    """``W`` with ``W W' = C^-1``, the variances of a singular ``C`` raised."""
    variances, axes = np.linalg.eigh(covariance)
    return np.asarray(axes / np.sqrt(np.maximum(variances, _least(variances))))


def least_variance(covariance: np.ndarray) -> float:
    """To what `whitening_of` raises variances."""
    return _least(np.linalg.eigvalsh(covariance))


def _least(variances: np.ndarray) -> float:
    return float(max(_LEAST_VARIANCE * variances.max(), _LEAST_VARIANCE**2))


def lengths_of_fall(logs: list[np.ndarray], steps: np.ndarray) -> np.ndarray:
    """The differences at which tabulated densities have fallen by a factor of e, (n_tables,)."""
    falls = [
        np.count_nonzero(np.maximum.accumulate(table[::-1]) > table.max() - 1) for table in logs
    ]
    return np.asarray(steps * falls)
