"""Links by the weights of Fellegi and Sunter, with their ties.

Pairs with a weight above 0, agreement that is likelier of one person than of two, are candidates.

================  ===============================================================================
``"one_to_one"``  the matching of largest total weight (`weight_matching`); a record is
                  re-identified iff it has its own masked record in *every* such matching
``"nearest"``     each record has the candidate of largest weight; it is re-identified iff that
                  is its own masked record, and no other has that weight
================  ===============================================================================

There are at most ``2^n`` different weights, so ties are many, and no tie is a re-identification.
All pairs are compared in chunks; only candidates are kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sklearn_reclink.likelihood.fellegi_sunter import agreements
from sklearn_reclink.linkers.weight_matching import maximum_weight_matching

# Candidate pairs kept for a matching: some 24 bytes each, and several copies.
MOST_CANDIDATES = 10_000_000
# Weights that differ by less than this part of the largest are sums of the same terms.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class AgreementWeights:
    """How much agreement weighs.

    Attributes
    ----------
    tolerance : ndarray of shape (n_features,)
        Values that differ by at most this agree.
    weights : ndarray of shape (n_features, 2)
        Weights of disagreement and of agreement.
    """

    tolerance: np.ndarray
    weights: np.ndarray

    def of_pairs(
        self, original: np.ndarray, masked: np.ndarray
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Weights (n_chunk, n_masked) of all pairs, with the first record of each chunk."""
        disagreement, agreement = self.weights.T
        for start, agree in agreements(original, masked, self.tolerance):
            total = np.zeros(agree.shape[1:])
            for k in range(len(agree)):
                total += np.where(agree[k], agreement[k], disagreement[k])
            yield start, total


@dataclass(frozen=True)
class ProbabilisticLinks:
    """What probabilistic linkage finds for every original record.

    Attributes
    ----------
    links : ndarray of int of shape (n_records,)
        Row of the linked masked record, -1 for none.
    n_tied : ndarray of int of shape (n_records,)
        Number of masked records that could as well be the link, 1 where there is no tie; under
        the rule ``"one_to_one"`` to be without a link counts as one more.
    reidentified : ndarray of bool of shape (n_records,)
        Whether the own record is the link, and no other could be.
    own_tied : ndarray of bool of shape (n_records,)
        Whether the own record is among those that could be the link.
    """

    links: np.ndarray
    n_tied: np.ndarray
    reidentified: np.ndarray
    own_tied: np.ndarray

    @property
    def n_linked(self) -> int:
        """Number of re-identified records."""
        return int(np.count_nonzero(self.reidentified))

    @property
    def rate(self) -> float:
        """Share of records re-identified; a tie is no re-identification."""
        return self.n_linked / len(self.links)

    @property
    def expected_rate(self) -> float:
        """Rate of an intruder who picks at random among what could be each record's link."""
        return float(np.mean(self.own_tied / self.n_tied))


def nearest_links(
    scale: AgreementWeights, original: np.ndarray, masked: np.ndarray
) -> ProbabilisticLinks:
    """Link every record to its candidate of largest weight, the lowest row of those tied."""
    parts = []
    rounding = _ROUNDING * np.abs(scale.weights).sum()
    for start, weights in scale.of_pairs(original, masked):
        best = weights.max(axis=1)
        linked = best > 0
        tied = weights >= best[:, None] - rounding
        rows = np.arange(len(weights))
        own = start + rows
        own_tied = linked & (own < len(masked)) & tied[rows, np.minimum(own, len(masked) - 1)]
        n_tied = np.where(linked, np.count_nonzero(tied, axis=1), 1)
        links = np.where(linked, tied.argmax(axis=1), -1)
        parts.append((links, n_tied, own_tied & (n_tied == 1), own_tied))
    return ProbabilisticLinks(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def one_to_one_links(
    scale: AgreementWeights,
    original: np.ndarray,
    masked: np.ndarray,
    random_state: np.random.RandomState,
) -> ProbabilisticLinks:
    """Link records one-to-one with the largest total weight."""
    rows, columns, weights = candidates(scale, original, masked)
    matching = maximum_weight_matching(
        rows, columns, weights, (len(original), len(masked)), random_state
    )
    own_tied = matching.may_have(np.arange(len(original)))
    certain = matching.n_tied == 1
    return ProbabilisticLinks(matching.links, matching.n_tied, own_tied & certain, own_tied)


def candidates(
    scale: AgreementWeights, original: np.ndarray, masked: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and weights of the pairs of positive weight; of too many, the largest."""
    parts: list[tuple[np.ndarray, ...]] = []
    least, n_kept = 0.0, 0
    for start, weights in scale.of_pairs(original, masked):
        rows, columns = np.nonzero(weights > least)
        parts.append((start + rows, columns, weights[rows, columns]))
        n_kept += len(rows)
        if n_kept > MOST_CANDIDATES:
            least = float(np.median(np.concatenate([part[2] for part in parts])))
            parts = [tuple(values[part[2] > least] for values in part) for part in parts]
            n_kept = sum(len(part[0]) for part in parts)
    if least > 0:
        warnings.warn(
            f"more than {MOST_CANDIDATES} pairs have a weight above 0: only those above "
            f"{least:.2f} were matched, and links of less weight may be missing. Lower the "
            'tolerance, add variables, or use rule="nearest"',
            UserWarning,
            stacklevel=2,
        )
    rows, columns, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return rows, columns, weights
