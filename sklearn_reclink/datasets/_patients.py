"""Diabetes patients, as microdata.

442 patients: age, body mass index, average blood pressure, six blood serum measurements, and
disease progression one year after baseline, in the units of the original study. They are the
numeric variables of scikit-learn's `load_diabetes(scaled=False)`, with its target as the last
column, named `progression`.

The variable `sex` is left out: it has two values, and a mean or a standardised difference of
its codes describes nobody.

:Number of records: 442
:Number of variables: 10 (age, bmi, bp, s1 to s6, progression)
:Missing values: none
:Source: Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004). Least angle
    regression. Annals of Statistics, 32(2), 407-499.
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.utils import Bunch

from sklearn_reclink.datasets._tables import bunch


def load_diabetes_microdata(*, as_frame: bool = False) -> Bunch:
    """Load the 442 diabetes patients of scikit-learn, in their original units.

    Parameters
    ----------
    as_frame : bool, default=False
        Return `data` as a pandas DataFrame.

    Returns
    -------
    bunch : Bunch
        With `data`, an ndarray or DataFrame of shape (442, 10), `feature_names` and `DESCR`.
        The binary variable `sex` is left out; the disease progression, which is the target of
        `load_diabetes`, is the last column.

    Examples
    --------
    >>> from sklearn_reclink.datasets import load_diabetes_microdata
    >>> patients = load_diabetes_microdata()
    >>> patients.data.shape
    (442, 10)
    >>> patients.feature_names[:3]
    ['age', 'bmi', 'bp']
    """
    source = load_diabetes(scaled=False)
    kept = [position for position, name in enumerate(source.feature_names) if name != "sex"]
    data = np.column_stack([source.data[:, kept], source.target])
    names = [source.feature_names[position] for position in kept]
    return bunch(data, [*names, "progression"], __doc__, as_frame=as_frame)
