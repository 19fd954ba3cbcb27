"""Fits under lying solvers, and whether a bound or a count came out wrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.soundness.claims import Case
from tests.soundness.faults import KINDS, InjectedError, lying
from tests.soundness.oracle import ABOVE, BELOW, FAMILIES, linked

LEARNED = ("choquet", "submodular", "2-additive", "free", "nonnegative", "psd", "weighted mean")
BILINEAR = ("free", "nonnegative", "psd", "psd")  # the only ones that ask for spectra
N_FILES = 12


@dataclass(frozen=True)
class Told:
    """What became of a fit: how many lies it was told, and what is wrong with it, if anything.

    ``ended`` says how it ended: a status, or the name of an exception.
    """

    kind: str
    family: str
    lies: int
    ended: str
    wrong: str = ""


def hard_case(family: str, number: int) -> Case:
    """Files with some conflicts, so that rows, conflicts and nodes are needed."""
    rng = np.random.default_rng([number, len(family)])
    n = 9 if family == "weighted mean" else 3  # 9: too many for cells
    size = int(rng.integers(12, 19))
    if rng.random() < 0.3:
        X = rng.integers(0, 9, (size, n)).astype(float)
        Y = X + rng.integers(-1, 2, X.shape)
    else:
        X = rng.lognormal(size=(size, n))
        Y = X * rng.lognormal(sigma=0.5 if n == 9 else 0.3, size=X.shape)
    return Case(family, X, Y, {"standardize": None, "time_limit": 0.5})


@cache
def true_links(family: str, number: int) -> int:
    """Links that some parameters make, by an honest fit and an exact count."""
    case = hard_case(family, number)
    linker = case.fit(time_limit=10.0)
    exact = FAMILIES[family]
    theta = exact.theta(linker, linker.scales_.informative)
    return sum(linked(exact, theta, *case.coordinates(linker), ABOVE, terms=exact.terms))


def fit_with_lies(seed: int, number: int, kinds: tuple[str, ...] = KINDS) -> Told:
    """One fit: the family, the files and the lies are drawn from the seed and the number."""
    rng = np.random.default_rng([seed, number])
    kind = kinds[number % len(kinds)]
    families = BILINEAR if kind == "spectra" else LEARNED
    family = families[number // len(kinds) % len(families)]
    which = int(rng.integers(N_FILES))
    case, reached = hard_case(family, which), true_links(family, which)
    case.options["n_jobs"] = int(rng.choice([1, 2]))
    with lying(kind, rng) as liar:
        try:
            linker = case.fit()
        except InjectedError:
            return Told(kind, family, liar.lies, "InjectedError")
        except Exception as error:
            sentence = f"{type(error).__name__}: {error}"
            wrong = sentence if "the proof is wrong" in sentence else ""
            return Told(kind, family, liar.lies, type(error).__name__, wrong)
    exact = FAMILIES[family]
    theta = exact.theta(linker, linker.scales_.informative)
    files = case.coordinates(linker)
    if not np.isfinite(theta).all():
        return Told(kind, family, liar.lies, linker.status_, f"parameters {theta}")
    certain = sum(linked(exact, theta, *files, ABOVE, terms=exact.terms))
    possible = sum(linked(exact, theta, *files, BELOW))
    wrong = ""
    if linker.bound_ < max(reached, certain):
        wrong = f"bound {linker.bound_}, {max(reached, certain)} can be linked"
    elif not certain <= linker.n_linked_ <= possible:
        wrong = f"count {linker.n_linked_}, recounted {certain} to {possible}"
    return Told(kind, family, liar.lies, linker.status_, wrong)
