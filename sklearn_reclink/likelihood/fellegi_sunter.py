"""The model of Fellegi and Sunter (1969), with its parameters by EM.

A pair of records is compared variable by variable: ``g_k = 1`` if they agree, ``|a_k - b_k| <=
tolerance_k``. Given whether the pair is one person (a *match*), the ``g_k`` are independent::

    m_k = P(g_k = 1 | match),     u_k = P(g_k = 1 | no match),     p = P(match)

    weight of a pair = sum_k  log2(m_k / u_k) if g_k = 1,  else  log2((1 - m_k) / (1 - u_k))

*EM.* All pairs of the two files are counted by their pattern ``g``, of which there are at most
``2^n``. The start is ``m_k = 0.9``, ``u_k`` the share of all pairs that agree, and ``p = 1 / N``. A
step computes the probability of a match for each pattern, and the parameters become the means
under it. One iteration is two steps, an extrapolation of them (SQUAREM of Varadhan and Roland,
2008) unless it lowers the likelihood, and a third step. EM is not told which pairs are matches.
With fewer than three variables the model has more parameters than there are frequencies of
patterns, and the result depends on the start.

*Missing values.* A variable missing in either record says nothing: its factor is left out of the
probability of a pattern, and its weight is 0. As an outcome of its own it would get the same
weight, and two parameters more: values are suppressed in one record without regard to the other
one, so a comparison is missing as often in matches as in other pairs.

*Tolerances* from aligned files. With a tolerance ``t`` a share ``m(t)`` of the aligned pairs agrees
and a share ``u(t)`` of all pairs. Of 20 quantiles of ``|x_ik - y_ik|`` we take the one with the
largest expected weight of an aligned pair, ``m log(m / u) + (1 - m) log((1 - m) / (1 - u))``.

*Links.* The distance of a pair is minus its weight (`AgreementPairs`). Only pairs of positive
weight are candidates for a link. At most ``2^n`` different weights exist, so there are many ties.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from sklearn_reclink.search import Pairs

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
    known : ndarray of bool of shape (n_patterns, n_features), default=None
        Which variables are present in both records; by default all.
    """

    patterns: np.ndarray
    counts: np.ndarray
    known: np.ndarray | None = None

    @property
    def n_pairs(self) -> int:
        """Number of all pairs."""
        return int(self.counts.sum())

    @property
    def agreement(self) -> np.ndarray:
        """Share of the pairs that have a variable that agree in it, (n_features,)."""
        if self.known is None:
            return np.asarray(self.counts @ self.patterns / self.n_pairs)
        return np.asarray(self.counts @ self.patterns / np.maximum(self.counts @ self.known, 1))


@dataclass(frozen=True)
class Estimate:
    """Parameters found by EM.

    Attributes
    ----------
    m, u : ndarray of shape (n_features,)
        Probability that a match, and that another pair, agrees in each variable.
    match_share : float
        Share of the pairs that are matches.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether the last step of EM changed no parameter by more than ``tol``.
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


@dataclass(frozen=True, eq=False)
class AgreementPairs(Pairs):
    """All pairs of two files; the distance of a pair is minus its agreement weight.

    Parameters
    ----------
    original, masked : ndarray of shape (n_records, n_features), (n_masked, n_features)
        NaN is missing.
    tolerance : ndarray of shape (n_features,)
        Values that differ by at most this agree.
    weights : ndarray of shape (n_features, 2)
        Weights of disagreement and of agreement.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.fellegi_sunter import AgreementPairs
    >>> file = np.array([[1.0, 1.0], [1.0, 2.0]])
    >>> weights = np.array([[-1.0, 2.0], [-1.0, 3.0]])
    >>> AgreementPairs(file, file, np.zeros(2), weights).distances(np.arange(2))[0]
    array([[-5., -1.],
           [-1., -5.]])
    """

    original: np.ndarray
    masked: np.ndarray
    tolerance: np.ndarray
    weights: np.ndarray

    def distances(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros((len(records), len(self.masked)))
        magnitudes = np.zeros_like(values)
        files = self.original[records], self.masked
        of_variables = agreement(*files, self.tolerance)
        for k, (agree, (without, with_)) in enumerate(zip(of_variables, self.weights, strict=True)):
            weight = np.where(agree, with_, without)
            weight[np.isnan(files[0][:, k])] = 0.0
            weight[:, np.isnan(files[1][:, k])] = 0.0
            values -= weight
            magnitudes += np.abs(weight)
        return values, magnitudes


def agreement(
    original: np.ndarray, masked: np.ndarray, tolerance: np.ndarray
) -> Iterator[np.ndarray]:
    """Which pairs agree in each variable, (n_records, n_masked) for one variable after another."""
    for a, b, most in zip(original.T, masked.T, tolerance, strict=True):
        yield np.abs(a[:, None] - b) <= most


def _bits_of_pattern(n_features: int, n_gaps: int) -> int:
    """How many bits say in which variables two records agree, and which are missing."""
    if n_features + n_gaps > 62:
        raise ValueError(
            f"the files have {n_features} variables"
            + (f", {n_gaps} of them with missing values, which count twice" if n_gaps else "")
            + ": patterns of agreement are counted for 62 at most. Choose the variables an "
            "intruder would know"
        )
    return n_features + n_gaps


def count_patterns(
    original: np.ndarray,
    masked: np.ndarray,
    tolerance: np.ndarray,
    *,
    block_pairs: int = 2**18,
    max_counters: int = 2**16,
) -> PatternCounts:
    """Count the patterns of agreement of all pairs; memory does not grow with their number.

    Parameters
    ----------
    original, masked, tolerance
        As in `AgreementPairs`.
    block_pairs : int, default=2**18
        Number of pairs compared at once.
    max_counters : int, default=2**16
        Up to this many possible patterns each has a counter; beyond, those found are sorted.

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
    absent = np.isnan(original), np.isnan(masked)
    gaps = np.flatnonzero(absent[0].any(axis=0) | absent[1].any(axis=0))
    n_bits = _bits_of_pattern(n_features, len(gaps))
    codes, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    size = max(1, block_pairs // len(masked))
    for start in range(0, len(original), size):
        block = original[start : start + size]
        code = np.zeros((len(block), len(masked)), dtype=np.int64)
        for k, agree in enumerate(agreement(block, masked, tolerance)):
            code |= agree.astype(np.int64) << k
        for bit, gap in enumerate(gaps, start=n_features):
            lacks = absent[0][start : start + size, gap, None] | absent[1][:, gap]
            code |= lacks.astype(np.int64) << bit
        if 2**n_bits > max_counters:
            new_codes, new_counts = np.unique(code, return_counts=True)
        else:
            new_counts = np.bincount(code.ravel(), minlength=2**n_bits)
            new_codes = np.arange(2**n_bits)
        codes, place = np.unique(np.concatenate([codes, new_codes]), return_inverse=True)
        counts = np.bincount(place, np.concatenate([counts, new_counts])).astype(np.int64)
    codes, counts = codes[counts > 0], counts[counts > 0]
    bits = (codes[:, None] >> np.arange(n_bits)) & 1 == 1
    if not len(gaps):
        return PatternCounts(bits, counts)
    known = np.ones((len(codes), n_features), dtype=bool)
    known[:, gaps] = ~bits[:, n_features:]
    return PatternCounts(bits[:, :n_features], counts, known)


def expectation_maximisation(
    found: PatternCounts,
    match_share: float,
    *,
    fixed_share: bool,
    max_iter: int,
    tol: float,
) -> Estimate:
    """Find parameters of largest likelihood by EM.

    Parameters
    ----------
    found : PatternCounts
        The patterns observed.
    match_share : float
        ``p``, or its start.
    fixed_share : bool
        Whether ``p`` stays as given.
    max_iter : int
        Largest number of iterations, of three steps each.
    tol : float
        Stop when a step changes no parameter by more than this.

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
        far, likelihood_there = _step(found, inside(theta + 2 * length * speed + length**2 * bend))
        theta = inside(far) if likelihood_there >= likelihood else second
    return Estimate(theta[:n_features], theta[n_features:-1], float(theta[-1]), n_iter, converged)


def _step(found: PatternCounts, theta: np.ndarray) -> tuple[np.ndarray, float]:
    """One step of EM from ``theta = (m, u, p)``, and the log likelihood where it starts."""
    patterns, counts = found.patterns.astype(float), found.counts
    m, u = np.split(theta[:-1], 2)
    known = 1.0 if found.known is None else found.known.astype(float)
    match = np.log(theta[-1]) + _log_probability(patterns, known, m)
    other = np.log1p(-theta[-1]) + _log_probability(patterns, known, u)
    matches = counts * special.expit(match - other)
    others = counts * special.expit(other - match)
    moved = [
        _shares(matches, patterns, found.known, m),
        _shares(others, patterns, found.known, u),
        np.array([matches.sum() / counts.sum()]),
    ]
    return np.concatenate(moved), float(counts @ np.logaddexp(match, other))


def _shares(
    pairs: np.ndarray, patterns: np.ndarray, known: np.ndarray | None, before: np.ndarray
) -> np.ndarray:
    """Share of the pairs that agree in each variable; as before where none has it."""
    if known is None:
        return np.asarray(pairs @ patterns / pairs.sum())
    numbers = pairs @ known
    return np.where(numbers > 0, pairs @ patterns / np.where(numbers > 0, numbers, 1.0), before)


def _log_probability(patterns: np.ndarray, known: Any, agreement: np.ndarray) -> np.ndarray:
    """Log-probability of every pattern, given the probability of agreement in each variable."""
    return np.asarray(patterns @ np.log(agreement) + (known - patterns) @ np.log1p(-agreement))


def choose_tolerance(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """Tolerances with the largest expected weight of an aligned pair, (n_features,)."""
    return np.array([_choose(a, b) for a, b in zip(original.T, masked.T, strict=True)])


def _choose(original: np.ndarray, masked: np.ndarray) -> float:
    own = np.abs(original - masked)
    own = own[~np.isnan(own)]
    if not len(own):
        return 0.0
    original, masked = (file[~np.isnan(file)] for file in (original, masked))
    candidates = np.unique(np.quantile(own, _TOLERANCE_QUANTILES, method="higher"))
    # a hair more, so that differences that only rounding sets apart agree alike
    rounding = 1e-13 * (np.abs(original).max() + np.abs(masked).max())
    candidates = np.where(candidates > 0, candidates * (1 + 1e-9) + rounding, 0.0)
    n_records = len(own)
    ordered = np.sort(masked)
    information = []
    for tolerance in candidates:
        within = np.searchsorted(ordered, original + tolerance, side="right")
        within -= np.searchsorted(ordered, original - tolerance, side="left")
        least = 0.5 / n_records
        m = np.clip(np.mean(own <= tolerance), least, 1 - least)
        u = np.clip(within.mean() / len(ordered), least / n_records, 1 - least / n_records)
        information.append(special.rel_entr(m, u) + special.rel_entr(1 - m, 1 - u))
    return float(candidates[int(np.argmax(information))])
