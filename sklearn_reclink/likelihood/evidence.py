"""The evidence of a pair: three views of how masking errs, weighed together.

``z`` are standardised values, ``r`` ranks as shares of the file. For a pair with differences
``dz`` and ``dr``::

    s = w_value sum_k log f_k(dz_k) + w_rank sum_k log g_k(dr_k) - w_joint dz' C^-1 dz / 2

``f_k`` and ``g_k`` are learnt error densities of one variable, in values and in ranks; ``C`` is the
covariance of all errors, which sees that the errors of one record go together. Which view fits
depends on the masking: ranks for swapping, values for noise, the joint one where variables are
masked together. The weights are not negative and make the aligned pairs the likeliest, each among
all original and all masked records of the training pairs, with a weak pull to equal weights; the
densities of a pair are those learnt from the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from sklearn_reclink.likelihood.error_density import ErrorDensity, learn_error_density

VIEWS = ("value", "rank", "joint")

_PULL = 1e-3
# A singular covariance of errors is lifted by this part of its largest variance.
_LIFT = 1e-9


@dataclass(frozen=True)
class Coordinates:
    """Records in standardised values and in ranks, both of shape (n_records, n_features)."""

    values: np.ndarray
    ranks: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def rows(self, rows: np.ndarray) -> Coordinates:
        """Some of the records."""
        return Coordinates(self.values[rows], self.ranks[rows])


@dataclass(frozen=True)
class Evidence:
    """How much a pair of records speaks for being one person's."""

    value_densities: list[ErrorDensity]
    rank_densities: list[ErrorDensity]
    whitening: np.ndarray  # W with W W' = C^-1
    weights: np.ndarray  # of VIEWS

    def block(self, original: Coordinates, masked: Coordinates) -> np.ndarray:
        """Scores of all pairs of some records, (n_records, n_masked)."""
        from sklearn_reclink.likelihood.evidence_kernel import add_squares, add_tabulated

        total = np.zeros((len(original), len(masked)))
        for view, densities, a, b in (
            (0, self.value_densities, original.values, masked.values),
            (1, self.rank_densities, original.ranks, masked.ranks),
        ):
            if self.weights[view] > 0:
                for k, density in enumerate(densities):
                    logs = self.weights[view] * density.logs
                    add_tabulated(total, a[:, k], b[:, k], 1 / density.step, logs)
        if self.weights[2] > 0:
            # einsum, not BLAS: equal records keep equal coordinates to the last bit
            white_a, white_b = (
                np.sqrt(self.weights[2] / 2) * np.einsum("ik,kl->il", c.values, self.whitening)
                for c in (original, masked)
            )
            add_squares(total, white_a, white_b)
        return total


def learn_evidence(
    original: Coordinates, masked: Coordinates, views: tuple[str, ...] = VIEWS
) -> Evidence:
    """Learn error densities and the weights of the views from aligned pairs.

    Parameters
    ----------
    original, masked : Coordinates
        The pairs.
    views : tuple of str
        The views to use, some of `VIEWS`; the others have the weight 0.

    Returns
    -------
    Evidence
    """
    densities = [
        [learn_error_density(a - b, _largest(a, b)) for a, b in zip(of_a.T, of_b.T, strict=True)]
        for of_a, of_b in ((original.values, masked.values), (original.ranks, masked.ranks))
    ]
    errors = original.values - masked.values
    whitening = _whitening(errors)
    used = np.array([view in views for view in VIEWS])
    tables = []
    for view in map(int, np.flatnonzero(used)):
        one = Evidence(densities[0], densities[1], whitening, np.eye(len(VIEWS))[view])
        table = one.block(original, masked)
        np.fill_diagonal(table, _left_out(one, view, original, masked))
        tables.append(table)
    weights = np.zeros(len(VIEWS))
    weights[used] = likeliest_weights(np.array(tables))
    return Evidence(densities[0], densities[1], whitening, weights)


def likeliest_weights(tables: np.ndarray) -> np.ndarray:
    """Weights of tables of scores under which the diagonal is the likeliest.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, n_records, n_records)
        Scores of original record i and masked record j, aligned.

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
        pull = weights - equal
        return (
            value - 2 * float(weights @ own) + _PULL * float(pull @ pull),
            expected - 2 * own + 2 * _PULL * pull,
        )

    bounds = [(0.0, None)] * n_tables
    return np.asarray(minimize(misfit, equal, jac=True, method="L-BFGS-B", bounds=bounds).x)


def _left_out(
    evidence: Evidence, view: int, original: Coordinates, masked: Coordinates
) -> np.ndarray:
    """Scores of the aligned pairs in one view, each as learnt from the others."""
    if VIEWS[view] == "joint":
        errors = original.values - masked.values
        # Sherman and Morrison: q_i = e_i' (E'E)^-1 e_i becomes q_i / (1 - q_i) without e_i
        q = ((errors @ evidence.whitening) ** 2).sum(axis=1) / len(errors)
        q = np.minimum(q, 1 - 1 / len(errors))
        return np.asarray(-0.5 * (len(errors) - 1) * q / (1 - q))
    is_value = VIEWS[view] == "value"
    densities = evidence.value_densities if is_value else evidence.rank_densities
    errors = original.values - masked.values if is_value else original.ranks - masked.ranks
    logs = [density.left_out(e) for density, e in zip(densities, errors.T, strict=True)]
    return np.asarray(np.sum(logs, axis=0))


def _whitening(errors: np.ndarray) -> np.ndarray:
    covariance = errors.T @ errors / len(errors)
    variances, axes = np.linalg.eigh(covariance)
    lifted = np.maximum(variances, max(_LIFT * variances.max(), _LIFT**2))
    return np.asarray(axes / np.sqrt(lifted))


def _largest(a: np.ndarray, b: np.ndarray) -> float:
    return float(max(a.max() - b.min(), b.max() - a.min()))
