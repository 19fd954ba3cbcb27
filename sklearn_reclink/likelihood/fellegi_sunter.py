"""The model of Fellegi and Sunter (1969), with its parameters by EM.

A pair of records is compared variable by variable: ``g_k = 1`` if they agree, ``|a_k - b_k| <=
tolerance_k``. Given whether the pair is one person (a *match*), the ``g_k`` are independent::

    m_k = P(g_k = 1 | match),     u_k = P(g_k = 1 | no match),     p = P(match)

    weight of a pair = sum_k  log2(m_k / u_k) if g_k = 1,  else  log2((1 - m_k) / (1 - u_k))

*EM.* All pairs of the two files are counted by their pattern ``g``, at most ``2^n`` of them. From
``m_k = 0.9``, ``u_k`` the share of all pairs that agree and ``p = 1 / N`` on, each pattern gets its
probability of being a match, and the parameters become the means under it, until they stand still.
Two steps show where they are going; a leap there (SQUAREM of Varadhan and Roland, 2008), unless the
likelihood is less, and a third step make one iteration. Which pairs are matches is not told. With
fewer than three variables the model has more parameters than the patterns have frequencies, and
where the search starts decides where it ends.

*Tolerances* from aligned files. With a tolerance ``t`` a share ``m(t)`` of the aligned pairs agrees
and ``u(t)`` of all pairs. Of 20 quantiles of ``|x_ik - y_ik|`` the one is taken with which an
aligned pair can expect the largest weight, ``m log(m / u) + (1 - m) log((1 - m) / (1 - u))``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

# Pairs compared at once.
_CHUNK_PAIRS = 2**21
# Up to here every pattern has a counter; beyond, those that occur are sorted.
_MOST_COUNTERS = 16
_STARTING_M = 0.9
_TOLERANCE_QUANTILES = np.arange(5, 101, 5) / 100


@dataclass(frozen=True)
class PatternCounts:
    """How many pairs of records show each pattern of agreement.

    Attributes
    ----------
    patterns : ndarray of bool of shape (n_patterns, n_features)
        Which variables agree.
    counts : ndarray of int of shape (n_patterns,)
        Number of pairs, above 0.
    """

    patterns: np.ndarray
    counts: np.ndarray

    @property
    def n_pairs(self) -> int:
        """Number of all pairs."""
        return int(self.counts.sum())

    @property
    def agreement(self) -> np.ndarray:
        """Share of all pairs that agree in each variable, (n_features,)."""
        return np.asarray(self.counts @ self.patterns / self.n_pairs)


@dataclass(frozen=True)
class Estimate:
    """Parameters found by EM.

    Attributes
    ----------
    m, u : ndarray of shape (n_features,)
        Probability of agreement in each variable, of a match and of another pair.
    match_share : float
        Share of the pairs that are matches.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether a step of EM changed no parameter by more than the tolerance asked for.
    """

    m: np.ndarray
    u: np.ndarray
    match_share: float
    n_iter: int
    converged: bool

    @property
    def weights(self) -> np.ndarray:
        """Weights of disagreement and of agreement in each variable, (n_features, 2)."""
        return np.column_stack([np.log2((1 - self.m) / (1 - self.u)), np.log2(self.m / self.u)])


def agreements(
    original: np.ndarray, masked: np.ndarray, tolerance: np.ndarray
) -> Iterator[tuple[int, np.ndarray]]:
    """Compare all pairs, some records at a time.

    Yields
    ------
    start : int
        The first record of the chunk.
    agree : ndarray of bool of shape (n_features, n_chunk, n_masked)
    """
    n_features = original.shape[1]
    size = max(1, _CHUNK_PAIRS // (len(masked) * n_features))
    columns = np.ascontiguousarray(masked.T)[:, None, :]
    for start in range(0, len(original), size):
        chunk = original[start : start + size].T[:, :, None]
        yield start, np.abs(chunk - columns) <= tolerance[:, None, None]


def count_patterns(
    original: np.ndarray, masked: np.ndarray, tolerance: np.ndarray
) -> PatternCounts:
    """Count the patterns of agreement of all pairs; memory does not grow with their number.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.fellegi_sunter import count_patterns
    >>> file = np.array([[1.0, 1.0], [1.0, 2.0], [3.0, 1.0]])
    >>> found = count_patterns(file, file, np.zeros(2))
    >>> found.patterns.astype(int).tolist(), found.counts.tolist()
    ([[0, 0], [1, 0], [0, 1], [1, 1]], [2, 2, 2, 3])
    """
    n_features = original.shape[1]
    if n_features > 62:
        raise ValueError(
            f"the files have {n_features} variables: patterns of agreement are counted for 62 at "
            "most. Choose the variables an intruder would know"
        )
    codes, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for _, agree in agreements(original, masked, tolerance):
        code = np.zeros(agree.shape[1:], dtype=np.int64)
        for k in range(n_features):
            code |= agree[k].astype(np.int64) << k
        new_codes, new_counts = _count(code.ravel(), n_features)
        codes, place = np.unique(np.concatenate([codes, new_codes]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, new_counts])).astype(np.int64)
    patterns = (codes[:, None] >> np.arange(n_features)) & 1 == 1
    return PatternCounts(patterns, counts)


def _count(codes: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    if n_features > _MOST_COUNTERS:
        return np.unique(codes, return_counts=True)
    counts = np.bincount(codes, minlength=2**n_features)
    found = np.flatnonzero(counts)
    return found, counts[found]


def expectation_maximisation(
    found: PatternCounts,
    match_share: float,
    *,
    fixed_share: bool,
    max_iter: int,
    tol: float,
) -> Estimate:
    """Most likely parameters of the model, near where the search starts.

    Parameters
    ----------
    found : PatternCounts
        What was observed.
    match_share : float
        ``p``, or where its search starts.
    fixed_share : bool
        Whether ``p`` stays as given.
    max_iter : int
        Most iterations, of three steps each.
    tol : float
        The search ends when a step changes no parameter by more.

    Returns
    -------
    Estimate
        Probabilities stay half a pair away from 0 and 1, so that all weights are finite.
    """
    least = 0.5 / found.n_pairs
    n_features = found.patterns.shape[1]

    def inside(theta: np.ndarray) -> np.ndarray:
        moved = np.clip(theta, least, 1 - least)
        return np.append(moved[:-1], match_share) if fixed_share else moved

    theta = inside(np.r_[np.full(n_features, _STARTING_M), found.agreement, match_share])
    for n_iter in range(1, max_iter + 1):  # noqa: B007
        first = inside(_step(found, theta)[0])
        converged = bool(np.abs(first - theta).max() <= tol)
        if converged:
            break
        raw, likelihood = _step(found, first)
        second = inside(raw)
        speed, bend = first - theta, second - 2 * first + theta
        length = np.linalg.norm(speed) / (np.linalg.norm(bend) or np.inf)
        leap, likelihood_there = _step(found, inside(theta + 2 * length * speed + length**2 * bend))
        theta = inside(leap) if likelihood_there >= likelihood else second
    return Estimate(theta[:n_features], theta[n_features:-1], float(theta[-1]), n_iter, converged)


def _step(found: PatternCounts, theta: np.ndarray) -> tuple[np.ndarray, float]:
    """One step of EM from ``theta = (m, u, p)``, and the log likelihood where it starts."""
    patterns, counts = found.patterns.astype(float), found.counts
    m, u = np.split(theta[:-1], 2)
    match = np.log(theta[-1]) + _log_probability(patterns, m)
    other = np.log1p(-theta[-1]) + _log_probability(patterns, u)
    matches = counts * special.expit(match - other)
    others = counts * special.expit(other - match)
    moved = [
        matches @ patterns / matches.sum(),
        others @ patterns / others.sum(),
        [matches.sum() / counts.sum()],
    ]
    return np.concatenate(moved), float(counts @ np.logaddexp(match, other))


def _log_probability(patterns: np.ndarray, agreement: np.ndarray) -> np.ndarray:
    """Logarithm of the probability of every pattern, from that of agreement in each variable."""
    return np.asarray(patterns @ np.log(agreement) + (1 - patterns) @ np.log1p(-agreement))


def log_likelihood(found: PatternCounts, estimate: Estimate) -> float:
    """Logarithm of the probability of the patterns counted."""
    return _step(found, np.r_[estimate.m, estimate.u, estimate.match_share])[1]


def choose_tolerance(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """Tolerances with which aligned pairs stand out the most, (n_features,)."""
    return np.array([_choose(a, b) for a, b in zip(original.T, masked.T, strict=True)])


def _choose(original: np.ndarray, masked: np.ndarray) -> float:
    own = np.abs(original - masked)
    candidates = np.unique(np.quantile(own, _TOLERANCE_QUANTILES, method="higher"))
    n_records = len(own)
    ordered = np.sort(masked)
    information = []
    for tolerance in candidates:
        within = np.searchsorted(ordered, original + tolerance, side="right")
        within -= np.searchsorted(ordered, original - tolerance, side="left")
        least = 0.5 / n_records
        m = np.clip(np.mean(own <= tolerance), least, 1 - least)
        u = np.clip(within.mean() / n_records, least / n_records, 1 - least / n_records)
        information.append(special.rel_entr(m, u) + special.rel_entr(1 - m, 1 - u))
    return float(candidates[int(np.argmax(information))])
