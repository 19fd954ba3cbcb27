"""What the docstrings of all linkers say in the same words.

A line ``%(name)s`` in the docstring of a linker stands for the entry of that name here.
"""

from __future__ import annotations

import re
from textwrap import indent

ENTRIES = {
    # parameters
    "standardize": """\
standardize : {"separate", "difference", "rank"} or None, default="separate"
    ``"separate"`` standardises each file by its own means and standard deviations;
    ``"difference"`` divides ``a - b`` by the standard deviation of ``X - y``; ``"rank"`` compares
    ranks, each as a share of its own file; None takes ``a - b`` as it is. A column constant in
    either file contributes nothing.""",
    "rule": """\
rule : {"nearest", "density", "balanced", "one_to_one"}, default="nearest"
    How distances become links in `predict`, `link` and `score`: the nearest masked record,
    as in the papers; the same with a price for masked records that many originals are near
    to (``"density"``, and ``"balanced"``, where prices leave one link each on average); or
    the one-to-one assignment of least total distance. ``n_linked_``, ``bound_`` and
    ``status_`` are always those of ``"nearest"``.""",
    "shrinkage": """\
shrinkage : float, default=0.0
    Share of equal weights mixed into the learned parameters, which then fit the known pairs
    less and others often better. ``bound_`` stays that of the unshrunk ones, and ``status_``
    is ``"shrunk"`` where links are lost.""",
    "method": """\
method : {"exact", "milp"}, default="exact"
    The search with a proof of this library, or the papers' mixed-integer program, modelled in
    cvxpy. What the program claims is then in ``claimed_links_``; it proves nothing here, so
    ``bound_`` is what presolve knows.
solver : str or None, default=None
    With ``method="milp"``: the mixed-integer solver, by its name in cvxpy, such as ``"HIGHS"``,
    ``"SCIP"``, ``"GUROBI"`` or ``"CPLEX"``. None takes HiGHS.""",
    "time_limit": """\
time_limit : float or None, default=60.0
    Seconds after which the search ends without a proof; None for no limit. The best parameters
    found are kept, ``bound_`` says how far they may be from the optimum, and a
    `ConvergenceWarning` is given.""",
    "n_jobs": """\
n_jobs : int or None, default=None
    Number of joblib workers.""",
    "random_state": """\
random_state : int, RandomState instance or None, default=None
    Seed of the search. An optimum has many parameters; the seed decides among them.""",
    "rule_state": """\
random_state : int, RandomState instance or None, default=None
    Draws the pairs from which the rules ``"density"`` and ``"balanced"`` learn the scale of the
    distances, where there are more than 1,000.""",
    "verbose": """\
verbose : int, default=0
    Print the progress of long work when positive.""",
    # attributes
    "n_linked_": """\
n_linked_ : int
    Number of records re-identified in the files of `fit`, recounted with the distances that
    `score` uses.""",
    "bound_": """\
bound_ : int
    No admissible parameters re-identify more records than this.
status_ : str
    ``"optimal"`` when ``n_linked_ == bound_``; else ``"time_limit"``, ``"undecided"`` when
    ties within rounding left the proof open although there was time, ``"shrunk"`` when
    shrinkage lost links, or ``"claimed"`` with ``method="milp"``.""",
    "claimed_": """\
claimed_links_ : int or None
    With ``method="milp"``: how many links the solver claims; otherwise None.""",
    "fixed_": """\
bound_ : int
    Equal to ``n_linked_``: there are no parameters to choose.
status_ : str
    ``"fixed"``.""",
    "unproven_": """\
bound_ : None
    Nothing is proven of other parameters.
status_ : str
    ``"heuristic"``.""",
    "ceiling_": """\
ceiling_ : int
    Number of records that some weighted mean, OWA or Choquet distance might re-identify:
    the others are dominated by an impostor in every variable.""",
    "files_": """\
temperature_ : float
    Scale that turns distances into log-likelihoods, learned where ``rule`` is ``"density"`` or
    ``"balanced"``; otherwise 1.
masked_ : ndarray of shape (n_masked, n_features)
    The masked file of `fit` (the whole pool if one was given), columns in the order of ``X``.
scales_ : Scales or RankScales
    How both files become coordinates.
n_features_in_ : int
    Number of variables.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the variables, when ``X`` has names.""",
}


def filled_in(docstring: str | None) -> str | None:
    """The docstring with the shared entries in place of their names."""
    if docstring is None:
        return None
    return re.sub(
        r"^( *)%\((\w+)\)s$", lambda m: indent(ENTRIES[m[2]], m[1]), docstring, flags=re.MULTILINE
    )
