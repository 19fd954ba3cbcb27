"""What the docstrings of maskers share, written once.

A line ``%(keep_integers columns)s`` in the docstring of a masker stands for these entries.
"""

import re

ENTRIES = {
    "keep_integers": """keep_integers : bool, default=False
        Round the variables that hold whole numbers only.""",
    "columns": """columns : list of str or int, or None, default=None
        The columns to mask, by name or position; the others are released unchanged. By default
        all.""",
    "numeric_columns": """columns : list of str or int, or None, default=None
        The columns to mask, by name or position; the others are released unchanged. By default
        all. A column that holds no numbers is an error, unless it is left out so.""",
    "columns_": """n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        The number of variables and, if `fit` saw a data frame, their names.
    columns_ : list of int
        The positions of the columns that are masked.""",
}


def filled_in(docstring: str | None) -> str | None:
    """A docstring with the shared entries in their places.

    Examples
    --------
    >>> from sklearn_reclink.masking import RankSwapping
    >>> "columns_ : list of int" in RankSwapping.__doc__
    True
    """
    if docstring is None:
        return None
    places = re.compile(r"%\(([a-z_ ]+)\)s")
    return places.sub(
        lambda place: "\n    ".join(ENTRIES[name] for name in place[1].split()), docstring
    )
