"""What the maskers share: a stateless transformer that masks the file given to it.

`fit` checks the file. `transform` masks any file with the same variables by that file's own values,
so the masked file says nothing about another one. A masker masks every column, or those that
``columns`` names; a column that it cannot mask is an error; none is left out silently.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_reclink._docstrings import fill_in
from sklearn_reclink._sklearn_compat import fit_context, validate_parameter_constraints
from sklearn_reclink.masking.columns import NUMERIC, Column, Table, frame_of, is_missing
from sklearn_reclink.masking.docstrings import ENTRIES, OF_FIT


def round_whole_columns(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Round the columns of a masked file whose original holds whole numbers only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._base import round_whole_columns
    >>> round_whole_columns(np.array([[1.0, 0.5]]), np.array([[1.4, 0.7]]))
    array([[1. , 0.7]])
    """
    whole = ((X == np.rint(X)) | np.isnan(X)).all(axis=0)
    return np.where(whole, np.rint(Y), Y)


def by_powers_of_two(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns divided by powers of two, so that squares stay in the range of floats.

    Returns
    -------
    scaled : ndarray of shape (n_records, n_features)
        No number is above 1; dividing rounds nothing.
    exponents : ndarray of int of shape (n_features,)
        Those of the powers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking._base import by_powers_of_two
    >>> by_powers_of_two(np.array([[3.0, 1.0], [-4.0, np.nan]]))
    (array([[ 0.375,  0.5  ],
           [-0.5  ,    nan]]), array([3, 1], dtype=int32))
    """
    largest = np.where(np.isnan(X), 0.0, np.abs(X)).max(axis=0, initial=0.0)
    exponents = np.frexp(largest)[1]
    return np.ldexp(X, -exponents), exponents


def no_number(X: Any) -> tuple[int, int] | None:
    """Row and column of the first cell of an array that is no number, column by column.

    Examples
    --------
    >>> from sklearn_reclink.masking._base import no_number
    >>> no_number([["1", 2.5], ["a", None]])
    (1, 0)
    """
    try:
        values = np.asarray(X, dtype=object)
    except ValueError:  # rows of several lengths
        return None
    for place, column in enumerate(values.T if values.ndim == 2 else ()):
        for row, value in enumerate(column):
            try:
                float(np.nan if is_missing(value) else value)
            except (TypeError, ValueError):
                return row, place
    return None


def listed(columns: Iterable[Hashable]) -> str:
    """The names of columns in a sentence."""
    return ", ".join(repr(column) for column in columns)


@fill_in(OF_FIT)
class Masker(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the maskers.

    A subclass is a dataclass of its options: Python writes the ``__init__`` that scikit-learn asks
    for. It masks one column in `_mask_column`, or all of them in `_mask_columns`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fill_in(ENTRIES)(cls)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"columns": [None, "array-like", str]}

    # what the masker does to missing cells is in its docstring; those that allow none refuse them
    _allows_missing: ClassVar[bool] = True
    # the kinds of columns it masks, all by default
    _kinds: ClassVar[frozenset[str] | None] = None
    _takes: ClassVar[str] = ""

    columns: Any = None

    def _mask_column(self, column: Column) -> Any:
        """The masked data of one column."""
        raise NotImplementedError

    def _mask_columns(self, table: Table) -> list[Any]:
        """The masked data of the columns to mask, in their order."""
        return [self._mask_column(column) for column in table.at(self.columns_)]

    def _check(self, table: Table) -> None:
        """Raise if the file cannot be masked."""

    def _settle(self) -> None:
        """Set in `fit` what depends on the variables alone."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the options and the file.

        %(of_fit)s
        """
        self._check_options_by_column()
        table = self._read(X, reset=True)
        self.columns_ = self._positions(self.columns, "columns")
        self._settle()
        self._check_columns(table)
        return self

    def transform(self, X: Any) -> Any:
        """Mask a file.

        %(another)s

        Returns
        -------
        Y : ndarray or dataframe of shape (n_records, n_features)
            The masked file, in the container of ``X``; row i is the masked version of row i.
        """
        check_is_fitted(self, "n_features_in_")
        table = self._read(X, reset=False)
        self._check_columns(table)
        with np.errstate(over="ignore", invalid="ignore"):  # `with_numbers` refuses what follows
            masked = self._mask_columns(table)
            return table.replaced(dict(zip(self.columns_, masked, strict=True)))

    def _check_options_by_column(self) -> None:
        """Hold the values of a dict by column to what one value for all columns must be."""
        for name, constraints in self._parameter_constraints.items():
            given = getattr(self, name)
            of_one = [one for one in constraints if one is not dict and one is not None]
            if isinstance(given, Mapping) and of_one:
                by_column = {
                    f"{name}[{column}]": value
                    for column, value in given.items()
                    if value is not None
                }
                allowed = dict.fromkeys(by_column, of_one)
                validate_parameter_constraints(allowed, by_column, type(self).__name__)

    def _read(self, X: Any, *, reset: bool) -> Table:
        frame = frame_of(X)
        if frame is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            if len(frame) == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            return Table.of(frame)
        is_dates = isinstance(X, np.ndarray) and X.dtype.kind in "Mm"  # which keep their type
        numeric = self._kinds is not None and self.columns is None and not is_dates
        if not hasattr(X, "dtype") and not numeric:
            # a list of rows of several types would become an array of texts
            texts = np.asarray(X).dtype.kind in "US"
            X = np.array(X, dtype=object) if texts else X
        dtype = np.float64 if numeric else None
        finite = numeric and ("allow-nan" if self._allows_missing else True)
        options = {"dtype": dtype, "order": "C", "ensure_all_finite": finite}
        try:
            return Table.of(validate_data(self, X, **options, reset=reset))
        except (TypeError, ValueError) as error:
            place = no_number(X) if numeric else None
            if place is None:
                raise
            first_line = str(error).splitlines()[0].partition(": ")[0]  # then comes the value
            raise type(error)(
                f"column {place[1]} has a value that is no number in row {place[0]}: name the "
                f"columns of numbers with columns=, or correct it. {first_line}"
            ) from None

    def _positions(self, columns: Any, what: str) -> list[int]:
        """The positions of the columns that an option names, all if it is None."""
        n_features = self.n_features_in_
        if columns is None:
            return list(range(n_features))
        given = [columns] if isinstance(columns, str) else list(columns)
        if len(given) == n_features and all(isinstance(one, bool | np.bool_) for one in given):
            return [int(place) for place in np.flatnonzero(given)]
        return list(dict.fromkeys(self._position(one, what) for one in given))

    def _position(self, variable: Any, what: str) -> int:
        """The position of a column given by position or by name; ``what`` names the option."""
        names = getattr(self, "feature_names_in_", None)
        if isinstance(variable, Integral) and 0 <= int(variable) < self.n_features_in_:
            return int(variable)
        if isinstance(variable, str) and names is not None and variable in names:
            return list(names).index(variable)
        if not isinstance(variable, str):
            known = f"positions run from 0 to {self.n_features_in_ - 1}"
        elif names is None:
            known = "X has no column names: give positions, or a DataFrame"
        else:
            known = f"the columns of X are {list(names)}"
        raise ValueError(f"{what} holds the variable {variable!r}; {known}.")

    def _check_columns(self, table: Table) -> None:
        chosen = table.at(self.columns_)
        if not chosen:
            raise ValueError("columns names no column: name those to mask, or leave it None")
        name, kinds = type(self).__name__, self._kinds
        wrong = [one.name for one in chosen if kinds is not None and one.kind not in kinds]
        if wrong:
            raise ValueError(
                f"{name} masks only {self._takes}; other kinds are in {listed(wrong)}: name "
                "the columns to mask with columns=, and mask the others by another method, "
                "such as PRAM, GlobalRecoding or LocalSuppression"
            )
        gaps = [one.name for one in chosen if not self._allows_missing and one.missing.any()]
        if gaps:
            raise ValueError(
                f"{name} cannot mask missing values; there are some in {listed(gaps)}: name the "
                "columns to mask with columns=, or drop the records without a value"
            )
        for one in chosen:
            if kinds is not None and one.kind == "number" and np.isinf(one.numbers).any():
                raise ValueError(
                    f"column {one.name!r} has an infinite value (infinity) in row "
                    f"{np.isinf(one.numbers).argmax()}: replace it by a number, or suppress it"
                )
        self._check(table)

    def _option(self, name: str, column: Column) -> Any:
        """An option that holds one value for all columns, or a dict of values by column."""
        value = getattr(self, name)
        if not isinstance(value, Mapping):
            return value
        return self._by_position(name).get(column.place)

    def _by_position(self, name: str) -> dict[int, Any]:
        """The values of an option by column; none where it is None."""
        given = getattr(self, name) or {}
        return {self._position(one, name): value for one, value in given.items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing
        tags.input_tags.string = tags.input_tags.categorical = self._kinds is None
        return tags


class NumericMasker(Masker):
    """Base of the maskers of numbers, and of dates as numbers.

    A subclass masks an array of the chosen columns in `_mask`. If it has the option
    ``keep_integers``, whole numbers are released as whole numbers.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Masker._parameter_constraints,
        "keep_integers": ["boolean"],
    }
    _kinds = NUMERIC
    _takes = "numbers and dates"
    _allows_missing = False

    keep_integers: bool = False

    @abstractmethod
    def _mask(self, X: np.ndarray) -> np.ndarray:
        """The masked version of the columns to mask."""

    def _mask_columns(self, table: Table) -> list[Any]:
        chosen = table.at(self.columns_)
        X = np.column_stack([column.numbers for column in chosen])
        Y = self._mask(X)
        if self.keep_integers:
            Y = round_whole_columns(X, Y)
        return [
            column.with_numbers(values, whole=self.keep_integers)
            for column, values in zip(chosen, Y.T, strict=True)
        ]
