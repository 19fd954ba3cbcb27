"""Information loss of files with categories and suppressed cells.

A variable is categorical if it is so in either file or is said to be; the others are numeric.
For a categorical variable with the levels v, shares ``p_v`` and ``q_v`` among the values present in
the original and in the masked file::

    categories     share of the records, among those with a value in both files, whose value changed
    frequencies    total variation, (1/2) sum over v of |p_v - q_v|

For a pair of variables, among the records with both values, the *association* is Cramer's V of two
categorical variables, the correlation ratio of a categorical and a numeric one, the absolute
correlation of two numeric ones. It lies in [0, 1]; the loss is its absolute change. For a variable
of either kind, *suppressed* is the share of the values of the original that are missing
in the masked file.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from sklearn_reclink.metrics._files import average
from sklearn_reclink.metrics._probabilistic_loss import probabilistic_loss
from sklearn_reclink.metrics._variables import (
    categorical_variables,
    change_of_association,
    changed,
    read_tables,
    suppressed,
    total_variation,
    variables_of,
)


@dataclass(frozen=True)
class MixedLoss:
    """The information loss of a mixed file, and its parts.

    Attributes
    ----------
    numbers : float
        Probabilistic information loss of the numeric variables, on the records with all of them
        in both files; 1 if there are fewer than two such records.
    categories, frequencies : float
        Mean share of changed values and mean total variation of the categorical variables.
    associations : float
        Mean change of the association of the pairs with a categorical variable.
    suppressed : float
        Share of the values of the original that are missing in the masked file.
    numeric_share : float
        Share of the variables that are numeric.

    Examples
    --------
    >>> from sklearn_reclink.metrics import MixedLoss
    >>> round(MixedLoss(0.2, 0.3, 0.1, 0.2, suppressed=0.5, numeric_share=0.0).loss, 2)
    0.6
    """

    numbers: float
    categories: float
    frequencies: float
    associations: float
    suppressed: float
    numeric_share: float

    @property
    def loss(self) -> float:
        """The loss of the values kept, by kind of variable, and 1 for those suppressed."""
        parts = (self.categories, self.frequencies, self.associations)
        kept = self.numeric_share * self.numbers
        if self.numeric_share < 1:
            kept += (1 - self.numeric_share) * float(np.nanmean(parts))
        return self.suppressed + (1 - self.suppressed) * kept


def information_loss(X: Any, y: Any, *, categorical_features: Any = None) -> float:
    """Information loss of a file with numbers, categories and suppressed cells, in one number.

    With s the share of the suppressed cells, w the share of the numeric variables, PIL their
    `probabilistic_information_loss`, and C the mean of the change of categories, of their
    frequencies and of the associations (see `mixed_loss`), the loss is::

        s + (1 - s) (w PIL + (1 - w) C)

    A suppressed value counts as lost entirely. The loss of a numeric file without missing values is
    its probabilistic information loss.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, aligned.
    categorical_features : list of str or int, or None, default=None
        Further variables to treat as categorical, such as codes, by name or position. Text,
        booleans and categories always are.

    Returns
    -------
    float
        From 0, nothing changed, to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_reclink.masking import PRAM
    >>> from sklearn_reclink.metrics import information_loss
    >>> X = pd.DataFrame({"sex": ["f", "m"] * 50, "region": ["n", "n", "s", "w"] * 25})
    >>> information_loss(X, X)
    0.0
    >>> round(information_loss(X, PRAM(0.8, random_state=0).fit_transform(X)), 2)
    0.22
    """
    return mixed_loss(X, y, categorical_features=categorical_features).loss


def mixed_loss(X: Any, y: Any, *, categorical_features: Any = None) -> MixedLoss:
    """The parts of `information_loss`.

    Parameters
    ----------
    X, y, categorical_features
        As in `information_loss`.

    Returns
    -------
    MixedLoss
        Means over the variables and pairs of variables.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_reclink.metrics import mixed_loss
    >>> X = pd.DataFrame({"sex": ["f", "m", "m", "f"], "region": ["n", "n", "s", "s"]})
    >>> parts = mixed_loss(X, X.assign(sex=["f", "m", None, "m"]))
    >>> parts.suppressed, round(parts.categories, 3)
    (0.125, 0.167)
    """
    variables = variables_of(read_tables(X, y), categorical_features)
    numeric = [one for one in variables if not one.categorical]
    categorical = [one for one in variables if one.categorical]
    numbers = 0.0
    if numeric:
        complete = ~np.any([gap for one in numeric for gap in one.missing], axis=0)
        columns = [(one.original[complete], one.masked[complete]) for one in numeric]
        old, new = (np.column_stack(file) for file in zip(*columns, strict=True))
        numbers = probabilistic_loss(old, new).loss if len(old) > 1 else 1.0
    pairs = [pair for pair in combinations(variables, 2) if any(one.categorical for one in pair)]
    return MixedLoss(
        numbers=numbers,
        categories=_mean(changed(one) for one in categorical),
        frequencies=_mean(total_variation(one) for one in categorical),
        associations=_mean(change_of_association(*pair) for pair in pairs),
        suppressed=suppressed(variables),
        numeric_share=len(numeric) / len(variables),
    )


def category_change(
    X: Any, y: Any, *, categorical_features: Any = None, multioutput: str = "uniform_average"
) -> Any:
    """Share of the records whose category changed, among those with a value in both files.

    Parameters
    ----------
    X, y, categorical_features
        As in `information_loss`.
    multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
        The mean over the categorical variables, or one number each, in the order of the file.

    Returns
    -------
    float or ndarray of shape (n_categorical,)

    Examples
    --------
    >>> from sklearn_reclink.metrics import category_change
    >>> category_change([["f"], ["m"], ["m"], ["f"]], [["f"], ["f"], ["m"], ["f"]])
    0.25
    """
    return _averaged(changed, categorical_variables(X, y, categorical_features), multioutput)


def frequency_change(
    X: Any, y: Any, *, categorical_features: Any = None, multioutput: str = "uniform_average"
) -> Any:
    """Total variation between the frequency tables of both files, among the values present.

    Parameters
    ----------
    X, y, categorical_features
        As in `information_loss`. Rows need not be aligned.
    multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
        The mean over the categorical variables, or one number each, in the order of the file.

    Returns
    -------
    float or ndarray of shape (n_categorical,)
        From 0, the same shares, to 1, no level in common.

    Examples
    --------
    >>> from sklearn_reclink.metrics import frequency_change
    >>> frequency_change([["f"], ["m"], ["m"], ["f"]], [["f"], ["f"], ["m"], ["f"]])
    0.25
    """
    found = categorical_variables(X, y, categorical_features)
    return _averaged(total_variation, found, multioutput)


def association_change(X: Any, y: Any, *, categorical_features: Any = None) -> float:
    """Mean absolute change of the association over all pairs of variables.

    The association is Cramer's V of two categorical variables, the correlation ratio of a
    categorical and a numeric one, and the absolute correlation of two numeric ones.

    Parameters
    ----------
    X, y, categorical_features
        As in `information_loss`.

    Returns
    -------
    float
        From 0 to 1; 0 for a single variable. A constant variable has no association.

    Examples
    --------
    >>> from sklearn_reclink.metrics import association_change
    >>> X = [["f", "n"], ["m", "s"], ["m", "s"], ["f", "n"]]
    >>> association_change(X, [["f", "n"], ["m", "n"], ["m", "s"], ["f", "s"]])
    1.0
    """
    variables = variables_of(read_tables(X, y), categorical_features)
    return _mean((change_of_association(*pair) for pair in combinations(variables, 2)), 0.0)


def suppression_rate(X: Any, y: Any, *, multioutput: str = "uniform_average") -> Any:
    """Share of the values of the original that are missing in the masked file.

    Parameters
    ----------
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original file and its masked version, aligned.
    multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
        The share of all cells, or that of each variable.

    Returns
    -------
    float or ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.metrics import suppression_rate
    >>> suppression_rate([["f", 1.0], ["m", 2.0]], [["f", np.nan], ["m", 2.0]])
    0.25
    """
    variables = variables_of(read_tables(X, y), None)
    if multioutput == "uniform_average":
        return suppressed(variables)
    return _averaged(lambda one: suppressed([one]), variables, multioutput)


def _averaged(measure: Callable[[Any], float], variables: Iterable[Any], multioutput: str) -> Any:
    return average(np.array([measure(one) for one in variables]), multioutput)


def _mean(values: Iterable[float], of_none: float = float("nan")) -> float:
    found = list(values)
    return float(np.mean(found)) if found else of_none
