"""What the docstrings of maskers share, written once."""

OF_FIT = {
    "of_fit": """\
Parameters
----------
X : array-like or dataframe of shape (n_records, n_features)
    The original file.
y : None
    Ignored.

Returns
-------
self""",
    "another": """\
Parameters
----------
X : array-like or dataframe of shape (n_records, n_features)
    The file to mask, with the variables seen in `fit`.""",
}

ENTRIES = {
    "keep_integers": """\
keep_integers : bool, default=False
    Round the variables that hold whole numbers only.""",
    "columns": """\
columns : list of str or int, or None, default=None
    The columns to mask, by name or position; the others are released unchanged. By default
    all.""",
    "numeric_columns": """\
columns : list of str or int, or None, default=None
    The columns to mask, by name or position; the others are released unchanged. By default
    all. A column that holds no numbers is an error, unless ``columns`` leaves it out.""",
    "columns_": """\
n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
    The number of variables and, if `fit` saw a dataframe, their names.
columns_ : list of int
    The positions of the columns that are masked.""",
}
