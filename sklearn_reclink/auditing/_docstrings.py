"""What the docstrings of `audit` and `scenarios` say of their parameters."""

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

OF_AUDIT = SHARED | entries_of("""\
absent : array-like or dataframe of shape (n_absent, n_features), default=None
    Original records of people who are not in the masked file. `Audit.curve` then shows how
    often an intruder who does not know that would be right.
aligned : bool or "unchecked", default=True
    Whether row i of both files is the same person. Files whose rows look unrelated are refused,
    because their risk would be far too low; ``"unchecked"`` accepts them anyway. False for
    a synthetic or shuffled release, which may differ in length: then nobody can be linked, and
    distances to the release are measured instead.
holdout : array-like or dataframe of shape (n_holdout, n_features), default=None
    With ``aligned=False``: people of the same population whom the release was not made from.
    They are the control, without which little can be concluded.
secret : str, int or sequence of them, default=None
    Columns, by name or index, that the intruder does not know: nobody is linked by them, and
    the result shows how well the release reveals them.
ids : sequence of shape (n_records,), default=None
    What to call the records; by default their numbers from 1.
sample_weight : array-like of shape (n_records,), default=None
    How many people in the population each record stands for, such as the weights of a survey.
    `Audit.population` then says how many people in the population are represented by those
    found. It is not used to link records: a column of the files with its name and values is
    left out.
attackers : iterable of str, default=None
    Some of ``"euclidean"``, ``"mahalanobis"``, ``"probabilistic"``, ``"weighted_mean"``,
    ``"choquet"``, ``"bilinear"``, ``"hlms"`` and ``"density"``; by default all.
time_limit : float, default=60.0
    Seconds for all attackers and for withholding variables; what there is no time for is left
    out.
limit, masked_name : float and str, default=None and "the masked file"
    The largest risk that is accepted, from 0 to 1, and what the report calls the file.
unit, left_out : str and sequence of str, default="people" and ()
    What one record describes, such as ``"firms"``; and variables of the files that were not
    compared, which the verdict counts.
size_limits : SizeLimits or None, default=None
    The largest file on which each attacker runs, and how it runs.
certify : bool, default=False
    Whether to make `Audit.certificate`. For each attacker with a bound this takes up to two
    minutes more, or its own time limit if that is longer, and an exact recount of the links.
progress : callable, default=None
    Called with what is being done, the number of steps done and the number of all steps.
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
