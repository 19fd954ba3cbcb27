"""What docstrings of metrics say of their parameters, written once."""

from sklearn_reclink._docstrings import entries_of

OF_SECRETS = entries_of("""\
linker : fitted linker
    The attacker, fitted on variables that the intruder knows; the secret is not one of
    them.
X, y : array-like or dataframe of shape (n_pairs, n_features)
    The known variables of people in both files: original and masked records, aligned.
secret : array-like of shape (n_pairs,)
    The true secrets.
masked_secret : array-like of shape (n_pairs,) or (n_masked,)
    The secrets as released, one for each record of the release.
pool : array-like or dataframe of shape (n_masked, n_features), default=None
    The whole release, the records of ``y`` first. By default the release is ``y``.
absent : array-like or dataframe of shape (n_absent, n_features), default=None
    Known variables of people who are not in the release, for the control. By default each
    person is looked for in the release without their own record.
absent_secret : array-like of shape (n_absent,), default=None
    Their true secrets.
n_neighbors : int, default=1
    Number of nearest masked records that vote; records alike in ``y`` count as one.
tolerance : float, default=0.05
    How near a guessed number has to be, as a share of the distance from the 5th to the 95th
    percentile of ``secret``.
categorical : bool, default=False
    Whether numbers are codes of categories.
""")

OF_LOSSES = entries_of("""\
multioutput : {"uniform_average", "raw_values"}, default="uniform_average"
    The mean over the categorical variables, or one number each, in the order of the file.
""")
OF_LOSSES["of_categories"] = f"""\
Parameters
----------
X, y, categorical_features
    As in `information_loss`.
{OF_LOSSES["multioutput"]}

Returns
-------
float or ndarray of shape (n_categorical,)"""
OF_LOSSES["X"] = """\
X, y, categorical_features
    As in `information_loss`."""
