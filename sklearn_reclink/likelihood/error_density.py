"""The density of the masking error of one variable, learned from aligned pairs.

A kernel estimate with Gaussian kernels on ``n`` errors and their mirror images, as errors of either
sign are equally likely, plus a uniform density for errors never seen::

    f(e) = (1 - q) sum_i [K_h(e - e_i) + K_h(e + e_i)] / (2 n) + q / (2 r)

``h`` is Silverman's bandwidth, with the spread about 0, and ``r`` the largest difference of two
records. ``q`` is the probability of an error beyond the table: one more than were seen, of
``n + 1``. The logarithms are tabulated, so the density of a pair is a lookup.

*The ratio.* Where a value may be missing, a density has to be compared with no value at all, and
units must not matter. The table then holds ``log [f(e) / f_0(e)]``, where ``f_0`` is the same
estimate, with the same kernels, of the differences of all pairs of records, and beyond the table
their mean density: how much likelier a difference is for one person's records than for two
people's. It is 0 where a value tells nothing.
"""

from dataclasses import dataclass

import numpy as np

# Spacing of the table, and where it ends, in bandwidths.
_STEPS = 8
_REACH = 500
# Coordinates are of order 1: errors below this are rounding.
_LEAST_BANDWIDTH = 1e-9
# Original records whose differences to all masked ones are counted at once.
_BLOCK = 1000


@dataclass(frozen=True)
class ErrorDensity:
    """Log density of the error of one variable.

    Attributes
    ----------
    step, logs : float, ndarray of shape (n_steps,)
        Log density at ``0, step, 2 step, ...``; the last one holds for all larger errors.
    bandwidth : float
        Standard deviation of the kernels.
    floor : float
        Density of errors never seen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.error_density import learn_error_density
    >>> errors = np.random.default_rng(0).normal(scale=0.1, size=2000)
    >>> density = learn_error_density(errors, largest=5.0)
    >>> np.exp(density(np.array([0.0, 0.1, 2.0]))).round(1)  # normal: 4.0, 2.4, 0.0
    array([3.8, 2.4, 0. ])
    """

    step: float
    logs: np.ndarray
    bandwidth: float
    floor: float

    def __call__(self, errors: np.ndarray) -> np.ndarray:
        """Log densities of errors of any shape."""
        places = self.step * np.arange(len(self.logs))
        return np.interp(np.abs(errors), places, self.logs)

    def left_out(self, errors: np.ndarray) -> np.ndarray:
        """Log density of each error it was learned from, as if learned from the others."""
        n_errors = len(errors)
        kernels = np.maximum(np.exp(self(errors)) - self.floor, 0.0)
        n_beyond = np.count_nonzero(np.abs(errors) > self.step * (len(self.logs) - 1))
        within = 1 - (n_beyond + 1) / (n_errors + 1)
        peak = within / (2 * n_errors * self.bandwidth * np.sqrt(2 * np.pi))
        own = peak * (1 + np.exp(-2 * (errors / self.bandwidth) ** 2))
        rest = np.maximum(kernels - own, 0.0) * n_errors / max(n_errors - 1, 1)
        return np.asarray(np.log(rest + self.floor))


def learn_error_density(errors: np.ndarray, largest: float) -> ErrorDensity:
    """Learn the density of the error of one variable.

    Parameters
    ----------
    errors : ndarray of shape (n_records,)
        Original minus masked coordinates of aligned records.
    largest : float
        The largest difference that two records of the files may have.

    Returns
    -------
    ErrorDensity
    """
    n_errors = len(errors)
    sizes = np.abs(errors)
    bandwidth = _bandwidth(errors)
    step = bandwidth / _STEPS
    n_steps = _STEPS * int(np.ceil(min(sizes.max() / bandwidth + 6, _REACH))) + 1
    smooth, n_inside = _smoothed(sizes, step, n_steps)
    beyond = (n_errors - n_inside + 1) / (n_errors + 1)
    density = (1 - beyond) * smooth / (2 * n_errors * bandwidth * np.sqrt(2 * np.pi))
    floor = beyond / (2 * max(largest, step * n_steps))
    return ErrorDensity(step, np.log(density + floor), bandwidth, floor)


@dataclass(frozen=True)
class ErrorRatio:
    """Log ratio of the densities of an error and of the difference of two people.

    Attributes
    ----------
    step, logs : float, ndarray of shape (n_steps,)
        As in `ErrorDensity`, of the log ratio.
    """

    step: float
    logs: np.ndarray


def learn_error_ratio(original: np.ndarray, masked: np.ndarray) -> tuple[ErrorRatio, np.ndarray]:
    """Learn the ratio of one variable from aligned pairs, some values of which may be missing.

    Parameters
    ----------
    original, masked : ndarray of shape (n_pairs,)
        Coordinates; NaN is a missing one. Where fewer than two pairs have both, it tells nothing.

    Returns
    -------
    ratio : ErrorRatio
    left_out : ndarray of shape (n_pairs,)
        Log ratio of each pair, as if learned from the others; 0 where a value is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.error_density import learn_error_ratio
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> noisy, shuffled = x + 0.1 * rng.normal(size=500), rng.permutation(x)
    >>> learn_error_ratio(x, noisy)[0].logs[0].round(1)  # log(4.0 / 0.28) = 2.7
    np.float64(2.7)
    >>> abs(learn_error_ratio(x, shuffled)[0].logs[0]).round(1)
    np.float64(0.0)
    """
    errors = original - masked
    known = ~np.isnan(errors)
    if np.count_nonzero(known) < 2:
        return ErrorRatio(1.0, np.zeros(2)), np.zeros(len(errors))
    a, b = original[~np.isnan(original)], masked[~np.isnan(masked)]
    largest = float(max(a.max() - b.min(), b.max() - a.min()))
    density = learn_error_density(errors[known], largest)
    step, n_steps = density.step, len(density.logs)
    smooth, n_inside = np.zeros(n_steps), 0
    for row in range(0, len(a), _BLOCK):
        of_block = _smoothed(np.abs(a[row : row + _BLOCK, None] - b).ravel(), step, n_steps)
        smooth, n_inside = smooth + of_block[0], n_inside + of_block[1]
    n_all = len(a) * len(b)
    of_all = smooth / (2 * n_all * density.bandwidth * np.sqrt(2 * np.pi)) + density.floor
    if n_inside < n_all:  # the mean density beyond the table
        of_all[-1] = (1 - n_inside / n_all) / (2 * (largest - step * (n_steps - 1.5)))
    of_all = np.log(of_all)
    left_out = np.zeros(len(errors))
    here = np.interp(np.abs(errors[known]), step * np.arange(n_steps), of_all)
    left_out[known] = density.left_out(errors[known]) - here
    return ErrorRatio(step, density.logs - of_all), left_out


def _smoothed(sizes: np.ndarray, step: float, n_steps: int) -> tuple[np.ndarray, int]:
    """Sum of the kernels of errors within the table and their mirror images, and their number."""
    places = np.rint(sizes / step)
    inside = places < n_steps
    counts = np.bincount(places[inside].astype(np.intp), minlength=n_steps).astype(float)
    counts[0] *= 2  # its own mirror image
    mirrored = np.concatenate([counts[:0:-1], counts])
    kernel = np.exp(-0.5 * (np.arange(-6 * _STEPS, 6 * _STEPS + 1) / _STEPS) ** 2)
    smooth = np.convolve(mirrored, kernel, mode="same")[n_steps - 1 :]
    return smooth, int(np.count_nonzero(inside))


def _bandwidth(errors: np.ndarray) -> float:
    # both estimate the standard deviation of normal errors about 0
    root_mean_square = float(np.sqrt(np.mean(errors**2)))
    robust = float(np.median(np.abs(errors))) / 0.6745
    spread = min(root_mean_square, robust) if robust > 0 else root_mean_square
    return max(0.9 * spread * len(errors) ** -0.2, _LEAST_BANDWIDTH)
