"""The files of an audit, read as numbers with columns in one order, and refused if unrelated.

An audit counts how often row i of the masked file is linked to row i of the original. If the rows
are not aligned, these are the wrong pairs, and the count is near 1 whatever the masking: a result
that is wrong and reassuring. Files whose rows resemble each other no more than by chance
(`data.alignment.unrelated`) are therefore refused. Fewer than `MIN_RECORDS` rows cannot tell; if
they do not look related either, the audit says so.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.auditing._attackers import SizeLimits, collected_warnings
from sklearn_reclink.data.alignment import UNRELATED_ROWS, too_few_to_tell, unrelated
from sklearn_reclink.data.pool import Pool, unwrapped
from sklearn_reclink.data.reading import read_again
from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker
from sklearn_reclink.metrics.record_space import selected

REFUSAL_LEVEL = 0.001  # unrelated files pass with a probability of at most 0.004
UNRELATED = (
    "row i of the masked file resembles row i of the original no more than any other row does, so "
    "the files do not seem to be in the same order and any risk would be far too low. Sort both "
    "files in the same way, or match their rows by an id; if the rows are not meant to belong "
    "together, say aligned=False, and if they do belong together, say aligned='unchecked'"
)
DOUBTFUL = (
    "the rows of the two files hardly resemble each other: check that both are in the same order. "
    "If they are not, the true risk is far higher"
)


class UnrelatedRowsError(ValueError):
    """The rows of two files do not seem to belong together."""


class Files(NamedTuple):
    """The files as numbers with columns in one order, and what is known of them.

    ``nominal`` are columns of categories, None where all are numbers and none is missing.
    """

    X: np.ndarray
    Y: np.ndarray
    pool: np.ndarray | None
    absent: np.ndarray | None
    nominal: tuple[int, ...] | None
    variables: Any
    names: tuple[str, ...]
    ids: Sequence[Any] | None
    notes: list[str]

    @property
    def everyone(self) -> np.ndarray:
        """The whole masked file."""
        return self.Y if self.pool is None else self.pool

    def with_columns(self, columns: Sequence[int]) -> "Files":
        """The files with some of the variables."""
        some, nominal = list(columns), self.nominal
        if nominal is not None:
            nominal = tuple(place for place, k in enumerate(some) if k in nominal)
        return self._replace(
            X=self.X[:, some],
            Y=self.Y[:, some],
            pool=None if self.pool is None else self.pool[:, some],
            absent=None if self.absent is None else self.absent[:, some],
            nominal=nominal,
            variables=None if self.variables is None else selected(self.variables, some),
            names=tuple(self.names[k] for k in some),
        )

    def only(self, columns: Sequence[int]) -> "Files":
        """Some of the variables, for another run of the attackers."""
        some = self._replace(absent=None, notes=[]).with_columns(columns)
        if some.nominal is None or any(kind != "numeric" for kind in some.variables.kinds):
            return some
        has_gaps = np.isnan(some.X).any() or np.isnan(some.Y).any()
        return some if has_gaps else some._replace(nominal=None)


def read_files(
    X: Any,
    y: Any,
    pool: Any,
    absent: Any,
    ids: Sequence[Any] | None,
    told: dict[str, Any],
    n_jobs: int | None,
) -> Files:
    """The files as numbers; one linker reads them, and its warnings are notes."""
    wide = np.ndim(X) == 2 and np.shape(X)[1] > SizeLimits().wide
    check = EuclideanLinker if wide else MahalanobisLinker  # no matrix of many variables
    whole = None if pool is None else Pool(unwrapped(pool))
    with collected_warnings() as notes:
        checked = check(standardize="separate", n_jobs=n_jobs, **told).fit(X, y, pool=whole)
    original, masked = read_again(checked, X, None, y)
    everyone = None if whole is None else read_again(checked, X, whole, y)[1]
    others = None if absent is None else read_again(checked, absent, None)[0]
    if ids is not None and len(ids) != len(masked):
        raise ValueError(f"ids has {len(ids)} entries for {len(masked)} records: give one each")
    numbered = [f"x{k}" for k in range(masked.shape[1])]
    names = tuple(map(str, getattr(checked, "feature_names_in_", numbered)))
    variables = checked.variables_
    nominal = None
    if variables is not None:
        nominal = tuple(k for k, kind in enumerate(variables.kinds) if kind == "nominal")
        notes.extend(variables.notes)
    return Files(original, masked, everyone, others, nominal, variables, names, ids, notes)


def check_related(files: Files, aligned: bool | str) -> None:
    """Refuse files whose rows look unrelated, and note those of which it cannot be told."""
    kinds = () if files.variables is None else files.variables.kinds
    X, Y = files.X, files.Y
    doubtful = unrelated(X, Y, kinds, level=REFUSAL_LEVEL)
    if doubtful and aligned is True:
        raise UnrelatedRowsError(UNRELATED)
    others = [note for note in files.notes if note != UNRELATED_ROWS]
    files.notes[:] = [DOUBTFUL] * (doubtful or too_few_to_tell(X, Y, kinds)) + others
