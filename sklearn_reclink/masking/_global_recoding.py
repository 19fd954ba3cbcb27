"""Global recoding: all records get coarser categories.

A column is recoded by one of three rules: numbers and dates into *bands*; levels merged by a
*mapping*; all but the most frequent levels lumped into one.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import Interval, StrOptions
from sklearn_reclink.masking._base import Masker, listed
from sklearn_reclink.masking.columns import NUMERIC, Column, Table


def bands_of_width(values: np.ndarray, width: float) -> tuple[np.ndarray, list[str]]:
    """Codes and labels of the bands between multiples of a width, -1 for NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._global_recoding import bands_of_width
    >>> bands_of_width(np.array([31.0, 38.0, 12.0]), 10)
    (array([1, 1, 0]), ['10 to < 20', '30 to < 40'])
    """
    present = ~np.isnan(values)
    numbers, codes = np.unique(np.floor(values[present] / width), return_inverse=True)
    found = np.full(len(values), -1, dtype=np.intp)
    found[present] = codes
    return found, [f"{one * width:g} to < {(one + 1) * width:g}" for one in numbers]


def bands_between(
    values: np.ndarray, edges: np.ndarray, names: list[str]
) -> tuple[np.ndarray, list[str]]:
    """Codes and labels of the bands between ascending edges, -1 for NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._global_recoding import bands_between
    >>> bands_between(np.array([31.0, 17.0, 70.0]), np.array([18.0, 65.0]), ["18", "65"])
    (array([1, 0, 2]), ['< 18', '18 to < 65', '>= 65'])
    """
    codes = np.searchsorted(edges, values, side="right")
    middle = [f"{low} to < {high}" for low, high in pairwise(names)]
    return np.where(np.isnan(values), -1, codes), [f"< {names[0]}", *middle, f">= {names[-1]}"]


@dataclass(eq=False, repr=False)
class GlobalRecoding(Masker):
    """Mask a file by coarser categories: bands of numbers, merged levels, rare levels lumped.

    Each column that is masked needs one of the three rules. A rule is given for all columns, or as
    a dict by column.

    Parameters
    ----------
    bands : float, list of float, dict of them by column, or None, default=None
        Bands of numbers or dates: the width of bands that begin at multiples of it, or the edges
        between bands. A band holds its lower edge; the first and the last band between edges are
        open.
    mapping : dict, dict of dicts by column, or None, default=None
        New levels for old ones; levels that it does not name are kept.
    n_levels : int, dict of int by column, or None, default=None
        How many levels are kept: the most frequent ones. The others become ``other``.
    other : str or float, default="other"
        The level into which rare levels are lumped.
    labels : {"interval", "mean"}, default="interval"
        What a band is released as: its limits, as an ordered category, or the mean of its values,
        as a number or date.
    %(columns)s

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    A missing value stays missing. Text stays text, categories stay categories, and ordered ones
    keep their order. An array with labels becomes an array of objects.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_reclink.masking import GlobalRecoding
    >>> X = pd.DataFrame({"age": [34, 71, 15], "region": ["Tyrol", "Vienna", "Styria"]})
    >>> GlobalRecoding(
    ...     bands={"age": [18, 65]}, mapping={"region": {"Tyrol": "west", "Styria": "south"}}
    ... ).fit_transform(X)
              age  region
    0  18 to < 65    west
    1       >= 65  Vienna
    2        < 18   south
    """

    bands: Any = None
    _: KW_ONLY
    mapping: Any = None
    n_levels: Any = None
    other: Any = "other"
    labels: str = "interval"
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "bands": [None, Interval(Real, 0, None, closed="neither"), "array-like", dict],
        "mapping": [None, dict],
        "n_levels": [None, Interval(Integral, 1, None, closed="left"), dict],
        "other": [str, Real],
        "labels": [StrOptions({"interval", "mean"})],
    }

    def _rules(self, column: Column) -> dict[str, Any]:
        """The rules that are given for a column, by the name of the option."""
        values = (self.mapping or {}).values()
        for_all = not all(isinstance(value, Mapping) for value in values)
        rules = {
            "bands": self._option("bands", column),
            "mapping": self.mapping if for_all else self._option("mapping", column),
            "n_levels": self._option("n_levels", column),
        }
        return {name: rule for name, rule in rules.items() if rule is not None}

    def _check(self, table: Table) -> None:
        chosen = table.at(self.columns_)
        without = []
        for column in chosen:
            rules = self._rules(column)
            if len(rules) > 1:
                raise ValueError(
                    f"column {column.name!r} has the rules {' and '.join(rules)}: give one for each"
                )
            without += [] if rules else [column.name]
        if without:
            raise ValueError(
                f"the columns {listed(without)} have no rule, so they would be released unmasked: "
                "add one to bands, mapping or n_levels, or name the columns to mask with columns="
            )
        for column in chosen:
            self._mask_column(column)

    def _mask_column(self, column: Column) -> Any:
        rules = self._rules(column)
        if "bands" in rules:
            return self._into_bands(column, rules["bands"])
        if "mapping" in rules:
            return self._merged(column, rules["mapping"])
        return self._lumped(column, rules["n_levels"])

    def _into_bands(self, column: Column, rule: Any) -> Any:
        if column.kind not in NUMERIC:
            raise ValueError(
                f"column {column.name!r} holds no numbers or dates for bands: recode it with "
                "mapping or n_levels"
            )
        if isinstance(rule, Real):
            if column.kind == "date":
                raise ValueError(f"column {column.name!r} holds dates: give bands as edges")
            codes, labels = bands_of_width(column.numbers, float(rule))
        else:
            edges = [column.number_of(edge) for edge in rule]
            if not edges or None in edges or (np.diff(np.array(edges, dtype=float)) <= 0).any():
                raise ValueError(
                    f"the edges of the bands of column {column.name!r} must be {column.held} in "
                    "ascending order"
                )
            numbers, names = np.array(edges, dtype=float), [str(edge) for edge in rule]
            codes, labels = bands_between(column.numbers, numbers, names)
        if self.labels == "interval":
            return column.with_labels(codes, labels, ordered=True)
        present = codes >= 0
        totals = np.bincount(codes[present], weights=column.numbers[present], minlength=len(labels))
        sizes = np.bincount(codes[present], minlength=len(labels))
        means = (totals / np.maximum(sizes, 1))[codes]
        return column.with_numbers(np.rint(means) if column.is_whole else means, whole=True)

    def _merged(self, column: Column, rule: Mapping[Any, Any]) -> Any:
        codes, levels = column.levels
        if not any(level in rule for level in levels):
            raise ValueError(
                f"mapping names no level of the column {column.name!r}: are its levels numbers "
                f"or texts? It holds {column.held}"
            )
        return self._relabelled(column, codes, [rule.get(level, level) for level in levels])

    def _lumped(self, column: Column, n_levels: int) -> Any:
        codes, levels = column.levels
        if column.kind == "ordered":
            raise ValueError(
                f"column {column.name!r} is ordered, and rare levels have no place in its order: "
                "merge them with their neighbours by mapping"
            )
        counts = np.bincount(codes[codes >= 0], minlength=len(levels))
        kept = np.argsort(-counts, kind="stable")[:n_levels]
        new = [level if code in kept else self.other for code, level in enumerate(levels)]
        return self._relabelled(column, codes, new)

    def _relabelled(self, column: Column, codes: np.ndarray, new: list[Any]) -> Any:
        """The column with a new label for each level."""
        labels = list(dict.fromkeys(new))
        number = {label: code for code, label in enumerate(labels)}
        merged = np.array([*(number[label] for label in new), -1])[codes]
        ordered = column.kind == "ordered"
        if ordered and len(labels) != 1 + sum(a != b for a, b in pairwise(new)):
            raise ValueError(
                f"mapping merges levels of the ordered column {column.name!r} that are not next to "
                "one another: merge neighbours only"
            )
        if column.kind in ("number", "date", "boolean"):
            numbers = all(isinstance(label, Real) for label in labels)
            if numbers and column.kind == "number":
                values = np.array([*map(float, labels), np.nan])[merged]
                return column.with_numbers(values, whole=all(one == int(one) for one in labels))
            if not all(isinstance(label, str) for label in labels):
                raise ValueError(
                    f"column {column.name!r} holds {column.held} and would hold texts as well: "
                    "map every level to a text, or make the column one of texts first"
                )
        return column.with_labels(merged, labels, ordered=ordered)
