"""Files on which rounding, ties or scale could make a proof go wrong.

Every generator takes a random generator and the shape of a file and returns an original and a
masked file. `case_of` draws a generator, a family and options from a seed and a number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.soundness.claims import LINKERS, Case
from tests.soundness.oracle import TOLERANCE

Files = tuple[np.ndarray, np.ndarray]
Generator = Callable[[np.random.Generator, int, int], Files]


def _near_or_apart(rng: np.random.Generator, X: np.ndarray, high: int) -> np.ndarray:
    if rng.random() < 0.6:
        return X + rng.integers(-1, 2, X.shape)
    return rng.integers(0, high, X.shape).astype(float)


def small_integers(rng: np.random.Generator, size: int, n: int) -> Files:
    high = int(rng.integers(2, 8))
    X = rng.integers(0, high, (size, n)).astype(float)
    return X, _near_or_apart(rng, X, high)


def hard_floats(rng: np.random.Generator, size: int, n: int) -> Files:
    spread = rng.choice([0.1, 1.0, 4.0])
    X = rng.lognormal(sigma=spread, size=(size, n)) * rng.choice([-1, 1], (size, n))
    return X, X * rng.lognormal(sigma=spread * rng.choice([0.3, 1.0]), size=X.shape)


def decimals(rng: np.random.Generator, size: int, n: int) -> Files:
    X = rng.integers(0, 30, (size, n)) / 10
    return X, (X + rng.integers(-3, 4, X.shape) / 10).round(1)


def one_ulp(rng: np.random.Generator, size: int, n: int) -> Files:
    X, Y = small_integers(rng, size, n)
    X, Y = X * 1.1 + 0.3, Y * 1.1 + 0.3
    for file in (X, Y):
        up = rng.integers(-2, 3, file.shape)
        for step in (1, 2):
            file[up >= step] = np.nextafter(file[up >= step], np.inf)
            file[up <= -step] = np.nextafter(file[up <= -step], -np.inf)
    return X, Y


def at_tolerance(rng: np.random.Generator, size: int, n: int) -> Files:
    """Squared differences whose ratios are 1 up to a few times the tolerance."""
    steps = np.array([-2, -1.01, -1, -0.99, -0.5, 0, 0.5, 0.9, 0.998, 1, 1.002, 1.1, 2, 10])
    X = np.repeat(rng.integers(0, 3, (size, n)) * 8.0, 1, axis=0)
    factor = 1 + float(TOLERANCE) * rng.choice(steps, X.shape)
    return X, X + rng.choice([-1.0, 1.0, 1.0, 2.0], X.shape) * factor


def huge_value(rng: np.random.Generator, size: int, n: int) -> Files:
    X, Y = small_integers(rng, size, n)
    code = 10.0 ** rng.integers(6, 16) * rng.choice([1, 2, 3])
    i, k = rng.integers(size), rng.integers(n)
    where = rng.integers(3)
    if where != 0:
        X[i, k] = code
    if where != 1:
        Y[i if rng.random() < 0.8 else rng.integers(size), k] = code + rng.integers(-1, 2)
    return X, Y


def column_ratios(rng: np.random.Generator, size: int, n: int) -> Files:
    X, Y = small_integers(rng, size, n) if rng.random() < 0.6 else hard_floats(rng, size, n)
    scale = 2.0 ** rng.integers(-80, 81, n) if rng.random() < 0.7 else 10.0 ** rng.uniform(-9, 9, n)
    scale[rng.integers(n)] = 1.0
    return X * scale, Y * scale


def near_collinear(rng: np.random.Generator, size: int, n: int) -> Files:
    """Columns with a common noise far larger than what tells records apart."""
    X, Y = small_integers(rng, size, n) if rng.random() < 0.5 else hard_floats(rng, size, n)
    noise = 10.0 ** rng.integers(3, 10) * rng.normal(size=(2, size, 1))
    if rng.random() < 0.5:
        noise = np.round(noise)
    signs = rng.choice([-1.0, 1.0], n)
    return X + signs * noise[0], Y + signs * noise[1]


def kept_totals(rng: np.random.Generator, size: int, n: int) -> Files:
    """The sum of each record is kept: the best matrix is singular."""
    X = rng.integers(0, 6, (size, n)).astype(float)
    change = rng.integers(-3, 4, X.shape)
    change[:, -1] -= change.sum(axis=1)
    if rng.random() < 0.3:
        change = change * 0.7
    return X, X + change


def duplicates(rng: np.random.Generator, size: int, n: int) -> Files:
    X, Y = small_integers(rng, size, n)
    kind = rng.integers(4)
    if kind == 0:
        Y = Y[rng.integers(0, size, size)]
    elif kind == 1:
        X[:, rng.integers(n)] = X[:, 0]
        Y[:, rng.integers(n)] = Y[:, 0]
    elif kind == 2:
        (X if rng.random() < 0.5 else Y)[:, rng.integers(n)] = 7.0
    else:
        X, Y = X[rng.integers(0, size, size)], Y[rng.integers(0, size, size)]
    return X, Y


def extreme_scales(rng: np.random.Generator, size: int, n: int) -> Files:
    X, Y = small_integers(rng, size, n) if rng.random() < 0.7 else hard_floats(rng, size, n)
    exponent = rng.uniform(-150, 150, n if rng.random() < 0.5 else 1)
    return X * 10.0**exponent, Y * 10.0**exponent


def wide_columns(rng: np.random.Generator, size: int, n: int) -> Files:
    """Numbers of very different sizes in one column."""
    X = rng.integers(1, 4, (size, n)) * 2.0 ** rng.integers(-120, 121, (size, n))
    X[rng.random(X.shape) < 0.2] = 0.0
    return X, X * rng.choice([1.0, 1.0, 0.5, 2.0, 1.25, 0.0], X.shape)


GENERATORS: dict[str, Generator] = {
    "small integers": small_integers,
    "hard floats": hard_floats,
    "decimals": decimals,
    "one ulp apart": one_ulp,
    "at the tolerance": at_tolerance,
    "one huge value": huge_value,
    "column ratios": column_ratios,
    "near-collinear": near_collinear,
    "kept totals": kept_totals,
    "duplicates": duplicates,
    "extreme scales": extreme_scales,
    "wide columns": wide_columns,
}
MOST_VARIABLES = {"choquet": 3, "submodular": 3, "free": 3, "nonnegative": 3, "psd": 3}


def case_of(seed: int, number: int) -> tuple[str, Case]:
    """The case of a number: the name of its generator, and the case."""
    rng = np.random.default_rng([seed, number])
    names, families = list(GENERATORS), list(LINKERS)
    name = names[number % len(names)]
    family = families[number // len(names) % len(families)]
    most = 3 if name in ("extreme scales", "wide columns") else MOST_VARIABLES.get(family, 4)
    n = int(rng.integers(1, most + 1))
    size = int(rng.integers(3, 8 if n <= 3 else 7))
    X, Y = GENERATORS[name](rng, size, n)
    views = [None, None, None, "separate", "difference", "rank"]
    options = {
        "standardize": None if name == "wide columns" else rng.choice(views),
        "random_state": int(rng.integers(100)),
    }
    if rng.random() < 0.1:
        options["shrinkage"] = float(rng.choice([0.01, 0.5]))
    pool = None
    if rng.random() < 0.15:
        extra = GENERATORS[name](rng, size, n)[int(rng.integers(2))]
        pool = np.vstack([Y, extra[: int(rng.integers(1, 4))]])
    return name, Case(family, X, Y, options, pool)
