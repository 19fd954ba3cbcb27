"""The density of the masking error of one variable, learned from aligned pairs.

A kernel estimate with Gaussian kernels on ``n`` errors and their mirror images, as errors of either
sign are equally likely, plus a uniform density for errors never seen::

    f(e) = (1 - q) sum_i [K_h(e - e_i) + K_h(e + e_i)] / (2 n) + q / (2 r)

``h`` is Silverman's bandwidth, with the spread about 0, and ``r`` the largest difference of two
records. ``q`` is the probability of an error beyond the table: one more than were seen, of
``n + 1``. The logarithms are tabulated, so the density of a pair is a lookup.
"""

from dataclasses import dataclass

import numpy as np

# Spacing of the table, and where it ends, in bandwidths.
_STEPS = 8
_REACH = 500
# Coordinates are of order 1: errors below this are rounding.
_LEAST_BANDWIDTH = 1e-9


@dataclass(frozen=True)
class ErrorDensity:
    """Log density of the error of one variable.

    Attributes
    ----------
    step : float
        Spacing of the table.
    logs : ndarray of shape (n_steps,)
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
        peak = (1 - self._share_beyond(errors)) / (
            2 * n_errors * self.bandwidth * np.sqrt(2 * np.pi)
        )
        own = peak * (1 + np.exp(-2 * (errors / self.bandwidth) ** 2))
        rest = np.maximum(kernels - own, 0.0) * n_errors / max(n_errors - 1, 1)
        return np.asarray(np.log(rest + self.floor))

    def _share_beyond(self, errors: np.ndarray) -> float:
        n_beyond = np.count_nonzero(np.abs(errors) > self.step * (len(self.logs) - 1))
        return (n_beyond + 1) / (len(errors) + 1)


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
    places = np.rint(sizes / step)
    inside = places < n_steps
    counts = np.bincount(places[inside].astype(np.intp), minlength=n_steps).astype(float)
    counts[0] *= 2  # its own mirror image
    mirrored = np.concatenate([counts[:0:-1], counts])
    kernel = np.exp(-0.5 * (np.arange(-6 * _STEPS, 6 * _STEPS + 1) / _STEPS) ** 2)
    smooth = np.convolve(mirrored, kernel, mode="same")[n_steps - 1 :]
    beyond = (n_errors - np.count_nonzero(inside) + 1) / (n_errors + 1)
    density = (1 - beyond) * smooth / (2 * n_errors * bandwidth * np.sqrt(2 * np.pi))
    floor = beyond / (2 * max(largest, step * n_steps))
    return ErrorDensity(step, np.log(density + floor), bandwidth, floor)


def _bandwidth(errors: np.ndarray) -> float:
    # both estimate the standard deviation of normal errors about 0
    root_mean_square = float(np.sqrt(np.mean(errors**2)))
    robust = float(np.median(np.abs(errors))) / 0.6745
    spread = min(root_mean_square, robust) if robust > 0 else root_mean_square
    return max(0.9 * spread * len(errors) ** -0.2, _LEAST_BANDWIDTH)
