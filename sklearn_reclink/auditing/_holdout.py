"""Whether a holdout holds other people than the original.

A holdout that holds people of the original is copied by the release as they are, so the excess over
it comes out too low. Equal records show it, but in coarse data many people are equal by chance. Let
``a_v`` and ``b_v`` be the numbers of originals and of holdout records with the values ``v``. The
overlap is the number of records that can be matched one to one::

    sum over v of  min(a_v, b_v)

If both files were drawn from one population, the ``a_v`` would be a draw of n of all ``a_v + b_v``
records without replacement. Such draws give the overlap expected by chance, and its spread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn_reclink.metrics.record_space import UnalignedFiles

N_DRAWS = 100
TOO_MANY = 0.05  # of the holdout, beyond chance
DEVIATIONS = 3.5


def check_holdout(files: UnalignedFiles, seed: int) -> None:
    """Refuse a holdout that shares far more records with the original than chance would give."""
    if files.holdout is None:
        return
    n_holdout = len(files.holdout)
    found, expected, spread = overlap(files.original, files.holdout, seed)
    beyond = found - expected
    if beyond <= TOO_MANY * n_holdout or beyond <= DEVIATIONS * spread:
        return
    raise ValueError(
        f"{found:,} of the {n_holdout:,} records of the holdout are also in the original, far more "
        "than chance would give: the risk would come out too low. Give a holdout of people who are "
        "not in the original and whom the release was not made from, or leave the holdout out"
    )


def overlap(original: np.ndarray, holdout: np.ndarray, seed: int) -> tuple[int, float, float]:
    """How many records match one to one; the mean and the standard deviation by chance.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing._holdout import overlap
    >>> X = np.arange(40.0)[:, None]
    >>> overlap(X, X, seed=0)[0], overlap(X, X + 100, seed=0)[0]
    (40, 0)
    """
    everyone = np.concatenate([original, holdout])
    everyone = np.where(np.isnan(everyone), np.inf, everyone)
    classes = np.unique(everyone, axis=0, return_inverse=True)[1].ravel()
    n_classes = int(classes.max()) + 1
    counts = [
        np.bincount(some, minlength=n_classes)
        for some in (classes[: len(original)], classes[len(original) :])
    ]
    found = int(np.minimum(*counts).sum())
    if found <= TOO_MANY * len(holdout):
        return found, 0.0, 0.0
    total = counts[0] + counts[1]
    several = total > 1  # a record like no other matches none
    sizes = np.append(total[several], np.count_nonzero(~several))
    rng = np.random.default_rng([seed, 5])
    matched = []
    for _ in range(N_DRAWS):
        drawn = rng.multivariate_hypergeometric(sizes, len(original), method="marginals")[:-1]
        matched.append(int(np.minimum(drawn, sizes[:-1] - drawn).sum()))
    return found, float(np.mean(matched)), float(np.std(matched))
