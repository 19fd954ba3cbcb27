"""Files that need not be aligned, in one space: distances of any of their records.

All files together give every variable its scale, so that no file is favoured and records with the
same values are at distance 0. With ``n`` variables::

    d(a, b) = sqrt(sum_k c_k(a, b) / n)

    numeric, ordinal    c_k = ((a_k - b_k) / sd_k)^2, of the number of the level for ordinal ones
    nominal             c_k = 0 if equal, else 2 / (1 - sum_v p_v^2), p_v the share of category v

A value beside a missing one costs the mean of its ``c_k`` to all values present; two missing ones
cost nothing. This is the distance of `EuclideanLinker`; the index answers by a tree where there
are many records, exactly, and never holds all pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_reclink.data.kinds import Variables, learn_variables
from sklearn_reclink.data.reading import column_names, match_columns
from sklearn_reclink.data.views import learn_view
from sklearn_reclink.families import WeightedMean
from sklearn_reclink.families.missing import mixed_family
from sklearn_reclink.search import Index


@dataclass(frozen=True, eq=False)
class UnalignedFiles:
    """An original file, a release and a holdout, as numbers; none is aligned with another.

    Attributes
    ----------
    original, release : ndarray of shape (n_records, n_features) and (n_released, n_features)
        Levels by their number, NaN for missing values.
    holdout : ndarray of shape (n_holdout, n_features) or None
        People of the same population whom the release was not made from.
    variables : Variables
        Names, kinds and categories of the columns.
    n_jobs : int or None
        Number of joblib workers of the searches.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics.record_space import UnalignedFiles
    >>> files = UnalignedFiles.read(np.array([[0.0], [4.0]]), np.array([[1.0], [4.0], [9.0]]))
    >>> distances, rows = files.nearest(files.original, files.release, 1)
    >>> rows.ravel()
    array([0, 1])
    """

    original: np.ndarray
    release: np.ndarray
    holdout: np.ndarray | None
    variables: Variables
    n_jobs: int | None = None

    @classmethod
    def read(
        cls, X: Any, y: Any, holdout: Any = None, *, n_jobs: int | None = None, **told: Any
    ) -> "UnalignedFiles":
        """Read files of any length with the same columns, matched by name if they have names.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features), (n_released, n_features)
            The original file and the release.
        holdout : array-like or dataframe of shape (n_holdout, n_features), default=None
            People of the same population whom the release was not made from.
        n_jobs : int, default=None
            Number of joblib workers of the searches.
        **told
            ``categorical_features`` and ``ordinal_features``: columns of categories and of levels
            in order, as in the linkers.

        Returns
        -------
        UnalignedFiles
        """
        names = column_names(X)
        tables = [(_table(X, None, "original file"), "original file X")]
        tables.append((_table(y, names, "release"), "release y"))
        if holdout is not None:
            tables.append((_table(holdout, names, "holdout"), "holdout"))
        for table, file in tables:
            if len(table) < 2:
                raise ValueError(f"{file} has {len(table)} records: at least 2 are needed")
            if table.shape[1] != tables[0][0].shape[1]:
                raise ValueError(
                    f"{file} has {table.shape[1]} columns, original has "
                    f"{tables[0][0].shape[1]}: they must describe the same variables"
                )
        variables = learn_variables(tables[0][0], tables[1][0], others=tables[2:], **told)
        codes = variables.codes(*tables)
        return cls(codes[0], codes[1], codes[2] if len(codes) > 2 else None, variables, n_jobs)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns; numbered ones if they have none."""
        return tuple(self.variables.names or (f"x{k}" for k in range(self.original.shape[1])))

    def with_columns(self, columns: Sequence[int]) -> "UnalignedFiles":
        """Some columns of all files.

        Parameters
        ----------
        columns : sequence of int
            Which, by their number.

        Returns
        -------
        UnalignedFiles
        """
        kept = list(columns)
        return UnalignedFiles(
            self.original[:, kept],
            self.release[:, kept],
            None if self.holdout is None else self.holdout[:, kept],
            selected(self.variables, kept),
            self.n_jobs,
        )

    def nearest(
        self, people: np.ndarray, pool: np.ndarray, n_neighbors: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest records of a pool for each person.

        Parameters
        ----------
        people, pool : ndarray of shape (n_people, n_features) and (n_pool, n_features)
            Records as the files hold them.
        n_neighbors : int
            How many.

        Returns
        -------
        distances : ndarray of shape (n_people, n_neighbors)
            Nearest first.
        rows : ndarray of int of shape (n_people, n_neighbors)
            Rows in the pool.
        """
        held = [one for one in (self.original, self.release, self.holdout) if one is not None]
        everyone = np.concatenate(held)
        plain = set(self.variables.kinds) == {"numeric"} and not np.isnan(everyone).any()
        mixed = None if plain else (everyone, self.variables.kinds, True)
        view = learn_view(everyone, everyone, "separate", self.names, mixed)
        index, _ = index_of(view, people, pool, n_jobs=self.n_jobs)
        family = mixed_family(WeightedMean(index.n_variables), index.caps, index.extra)
        squares, rows = index.k_nearest(family, family.centre, n_neighbors)
        return np.sqrt(np.maximum(squares, 0.0)), rows


def index_of(
    view: Any, original: np.ndarray, masked: np.ndarray, *, n_jobs: int | None = None
) -> tuple[Index, np.ndarray]:
    """An index of two files in a view, and which of its coordinates the index holds."""
    a, b = view.coordinates(original, masked)
    used = getattr(view, "used", view.informative)
    caps, extra = getattr(view, "caps", None), getattr(view, "extra", None)
    return Index(a[:, used], b[:, used], n_jobs=n_jobs, caps=caps, extra=extra), used


def selected(variables: Variables, columns: Sequence[int]) -> Variables:
    """Some of the variables."""
    names = variables.names
    return replace(
        variables,
        names=None if names is None else [names[k] for k in columns],
        kinds=tuple(variables.kinds[k] for k in columns),
        categories=tuple(variables.categories[k] for k in columns),
        types=tuple(variables.types[k] for k in columns),
    )


def _table(table: Any, names: Sequence[str] | None, file: str) -> Any:
    """A table with columns in the order of the original file."""
    if not hasattr(table, "shape"):
        rows = list(table)
        numbers = all(isinstance(value, int | float) for row in rows for value in row)
        table = np.array(rows, dtype=float if numbers else object)
    if len(table.shape) != 2:
        raise ValueError(f"{file} has shape {table.shape}: it must be a table of records")
    return match_columns(names, table, file)
