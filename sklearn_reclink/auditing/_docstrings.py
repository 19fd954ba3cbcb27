"""What the docstrings of `audit` and `scenarios` share, and what `scenarios` says of the others."""

from sklearn_reclink._docstrings import entries_of

SHARED = entries_of("""\
X, y : array-like or dataframe of shape (n_records, n_features)
    The original file and its masked version, aligned row by row. Columns are matched by name
    if both files have names.
pool : array-like or dataframe of shape (n_masked, n_features), default=None
    The whole masked file, if it holds more people than ``y``: its rows are those of ``y`` and
    others.
categorical_features, ordinal_features : array-like or dict, default=None
    Columns of categories and of ordered levels, as in the linkers; by default the types of a
    dataframe decide.
random_state, n_jobs : int, default=0, None
    Seed of every random choice, and number of joblib workers.
""")

OF_SCENARIOS = SHARED | entries_of("""\
known : iterable of str or int, default=None
    The variables that an intruder may know, by name or number; by default all.
secret : iterable of str or int, default=None
    Variables that no intruder knows: they are left out of linkage.
aligned : True or "unchecked", default=True
    Files whose rows look unrelated are refused; ``"unchecked"`` accepts them anyway.
pairs : sequence of int, default=(5, 50, 500)
    How many people the intruder knows already, to learn from; sizes above half of the file are
    left out.
attackers : iterable of str, default=None
    Attackers that try all variables, all but one, and the smallest sets that expose 10 % and
    50 %; by default ``"mahalanobis"``, ``"choquet"``, ``"bilinear"`` and ``"density"``. Weighted
    means always try every set.
time_limit : float, default=60.0
    Seconds for all searches. However few, every set has links and a bound.
max_records : int, default=2000
    Number of people sought. In a longer file, a random sample of this size is sought in the
    whole release; it is smaller where that would be more than 2 billion pairs of records over
    all sets.
unit : str, default="people"
    What one record describes, such as ``"firms"``.
progress : callable, default=None
    Called with what is being done, the number of sets decided and the number of all sets.
""")
