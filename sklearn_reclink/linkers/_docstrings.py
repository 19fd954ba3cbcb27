"""What the docstrings of linkers share, written once."""

from sklearn_reclink import _docstrings

OF_LINKERS = _docstrings.entries_of("""\
standardize : {"separate", "difference", "rank"}, None or several of them, default="separate"
    ``"separate"`` standardises each file by its own means and standard deviations;
    ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; ``"rank"``
    compares ranks, each as a share of its own file; None takes ``a - b`` as it is. A column
    constant in either file contributes nothing. If several are given, such as ``("separate",
    "difference", "rank")``, the one that links the most records of `fit` is used, and
    ``bound_`` and ``ceiling_`` hold for all of them. They share the time limit.
categorical_features : array-like of str, int or bool, default=None
    Columns that hold unordered categories, by name, index or mask. By default the types of a
    dataframe decide: text, bools and categories are nominal, ordered categories ordinal,
    numbers and dates numeric.
ordinal_features : array-like of str, int or bool, or dict, default=None
    Columns that hold ordered levels. A dict gives the levels of each, lowest first.
rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
    How distances become links in `predict`, `link` and `score`: the nearest masked record,
    as in the papers; the same with a price for masked records that many originals are near
    to (``"density"``, and ``"balanced"``, where prices leave one link each on average); or
    the one-to-one assignment of least total distance. ``n_linked_``, ``bound_`` and
    ``status_`` are always those of ``"nearest"``.
shrinkage : float, default=0.0
    Share of equal weights mixed into the learned parameters, which then fit the known pairs
    less well and others often better. ``bound_`` stays that of the unshrunk ones, and
    ``status_`` is ``"shrunk"`` where links are lost.
method : {"exact", "milp"}, default="exact"
    This library's search with a proof, or the papers' mixed-integer program, modelled in cvxpy.
    What the program claims is then in ``claimed_links_``; it proves nothing here, so ``bound_``
    is what presolve proves.
solver : str or None, default=None
    With ``method="milp"``: the mixed-integer solver, by its name in cvxpy, such as ``"HIGHS"``,
    ``"SCIP"``, ``"GUROBI"`` or ``"CPLEX"``. None means HiGHS.
time_limit : float or None, default=60.0
    Seconds after which the search ends without a proof; None for no limit. The best parameters
    found are kept, ``bound_`` says how far they may be from the optimum, and a
    `ConvergenceWarning` is given.
certify : bool, default=False
    Whether `fit` records a proof of ``bound_`` that `verify_certificate` checks in exact
    arithmetic. That takes seconds to minutes more: at most the longer of ``time_limit`` and two
    minutes, and the exact recount of the links, which takes as long as verifying them.
n_jobs : int or None, default=None
    Number of joblib workers.
random_state : int, RandomState instance or None, default=None
    Seed of the search. Many parameters attain the optimum; the seed decides among them.
verbose : int, default=0
    Print the progress of long work when positive.
capacity_ : ndarray of shape (2**n_features,)
    The learned capacity by dyadic index: bit k of an index is set iff variable k is in the
    subset. ``capacity_[0]`` is 0, ``capacity_[-1]`` is 1, and it never falls as a subset grows;
    all of this holds exactly.
mobius_ : ndarray of shape (2**n_features,)
    Its Moebius transform, ``capacity_[A] = sum of mobius_[B] over the subsets B of A``.
n_linked_ : int
    Number of records re-identified in the files of `fit`, recounted with the distances that
    `score` uses.
bound_ : int
    No admissible parameters re-identify more records than this.
confidence_bound_ : int or None
    The same at ``confidence_level_``, where only a random sample of blocks was proven; None
    where no blocks were searched.
confidence_level_ : float or None
    The probability, over the draw of the sample, that no parameters link more.
status_ : str
    ``"optimal"`` when ``n_linked_ == bound_``; else ``"time_limit"``, ``"undecided"`` when
    ties within rounding left the proof open although there was time, ``"shrunk"`` when
    shrinkage lost links, or ``"claimed"`` with ``method="milp"``.
claimed_links_ : int or None
    With ``method="milp"``: how many links the solver claims; otherwise None.
certificate_ : dict or None
    With ``certify=True``: the proof, as data that `json.dumps` takes; None otherwise, and where a
    warning says why there is none.
ceiling_ : int
    Number of records that some weighted mean, OWA or Choquet distance might re-identify:
    the others are dominated by an impostor in every variable.
temperature_ : float
    Scale that turns distances into log-likelihoods, learned where ``rule`` is ``"density"`` or
    ``"balanced"``; otherwise 1.
masked_ : ndarray of shape (n_masked, n_features)
    The masked file of `fit` (the whole pool if one was given), columns in the order of ``X``.
standardize_ : {"separate", "difference", "rank"} or None
    How differences are standardised; of several ways, the one that links the most records.
scales_ : Scales, RankScales or MixedView
    How both files become coordinates.
kinds_ : tuple of {"numeric", "ordinal", "nominal"}
    The kind of each variable.
variables_ : Variables or None
    Kinds, categories and notes on the variables; None for files of numbers without missing
    values.
missing_weights_ : ndarray of shape (n_features, 2)
    For files with missing values: what is added to the squared distance where a variable is
    missing in the masked record alone (first column), or in the original one alone.
n_features_in_ : int
    Number of variables.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the variables, when ``X`` has names.
""")
# entries of the same names that say something else
OF_LINKERS["sample_of_rule"] = """\
random_state : int, RandomState instance or None, default=None
    Draws the pairs from which the rules ``"density"`` and ``"balanced"`` learn the scale of the
    distances, where there are more than 1,000."""
OF_LINKERS["of_masked_files"] = """\
y : array-like or dataframe of shape (n_records, n_features)
    The masked file: row i is the masked version of row i of ``X``. Columns are matched by
    name where both files have names, otherwise by position.
pool : array-like, dataframe or Pool of shape (n_masked, n_features), default=None
    The whole masked file, for an intruder who knows only some of its records: ``y`` are
    some of its rows, the others are impostors. By default the pool is ``y``. Through
    `cross_validate` or `GridSearchCV` pass a `Pool`, which is never cut into folds.
reference : array-like or dataframe of shape (n_original, n_features), default=None
    The whole original file, where ``X`` holds only some of its records: ranks are counted
    in it. By default they are counted in ``X``."""
OF_LINKERS["nothing_to_choose_"] = """\
bound_ : int
    Equal to ``n_linked_``: there are no parameters to choose.
status_ : str
    ``"fixed"``."""
OF_LINKERS["unproven_"] = """\
n_linked_ : int
    Number of records re-identified in the files of `fit`, by ``rule``.
bound_ : None
    Nothing is proven about other parameters.
status_ : str
    ``"heuristic"``."""

_OF_VIEW = "standardize categorical_features ordinal_features"
_OF_PROOF = "n_linked_ bound_ confidence_bound_ confidence_level_ status_"
_OF_FILES = "masked_ standardize_ scales_ kinds_ variables_ n_features_in_ feature_names_in_"
_OF_FIT = f"missing_weights_ temperature_ {_OF_FILES}"
_GROUPS = {
    "of_view": _OF_VIEW,
    "of_rule": "rule n_jobs sample_of_rule verbose",
    "of_exact": f"{_OF_VIEW} rule shrinkage method solver time_limit certify n_jobs random_state "
    "verbose",
    "fixed_": "n_linked_ nothing_to_choose_",
    "proof_": _OF_PROOF,
    "exact_": f"{_OF_PROOF} claimed_links_ certificate_ ceiling_ {_OF_FIT}",
    "files_": _OF_FIT,
}
OF_LINKERS |= {
    group: "\n".join(OF_LINKERS[name] for name in names.split()) for group, names in _GROUPS.items()
}

fill_in = _docstrings.fill_in(OF_LINKERS)
