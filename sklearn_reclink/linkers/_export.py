"""The papers' mixed-integer program of a linker as a file, for a solver outside of Python."""

import math
import os
import re
from typing import Any

import numpy as np
from sklearn.base import clone

from sklearn_reclink.linkers._learned import ExactLinker
from sklearn_reclink.solvers.problem import Problem


def export_mps(
    linker: ExactLinker, X: Any, y: Any, path: str | os.PathLike[str], *, strictness: float = 1e-5
) -> None:
    """Write the papers' program of a linker for two files, to be solved by CPLEX, Gurobi, ...

    The program minimises ``sum_i K_i``, the records missed. Its columns are named ``theta_...``
    after the variables (weights by variable, OWA weights by rank, capacities by the members of
    the subset, matrix entries by the two variables: ``theta_a_b`` is twice the entry ``M_ab``),
    then ``K_0``, ``K_1``, ... by record. Its rows are ``normalised`` where the papers fix the scale
    of the parameters, ``link_i_j`` for each record and impostor, then those of the constraint.

    A solver keeps rows and integers only up to its tolerances: its count may be above the number of
    links.

    Parameters
    ----------
    linker : OWALinker, WeightedMeanLinker, ChoquetLinker or BilinearLinker
        Its options define the program. It need not be fitted, and is not changed.
    X, y : array-like or dataframe of shape (n_records, n_features)
        Original file and its masked version, as in `fit`.
    path : str or path
        The file to write. Its name must end in ``.mps``.
    strictness : float, default=1e-5
        How much nearer a record's own masked version must be, in the units of the squared distance,
        to count as linked; finite and above 0. It stands for the papers' ``> 0`` and should be
        above the solver's tolerance.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from sklearn_reclink import WeightedMeanLinker, export_mps
    >>> X = np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 2.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "program.mps"
    ...     export_mps(WeightedMeanLinker(), X, X + [0.5, 0.25], path)
    ...     text = path.read_text()
    >>> "theta_0" in text and "K_2" in text
    True
    """
    from sklearn_reclink.solvers.milp import write_mps

    path = os.fspath(path)
    _check_options(linker, path, strictness)
    linker = clone(linker)
    linker._validate_params()
    view, *others = linker._prepare(X, y)
    if others:
        raise ValueError(
            f"standardize is {linker.standardize!r}, and each of these has a program of its own: "
            "name one and export once for each"
        )
    problem = Problem(linker._family_of(view.index), view.index)
    words = np.array(_words(linker))[view.linker._informative]
    write_mps(problem, path, problem.family.labels(words.tolist()), strictness)


def _check_options(linker: Any, path: str, strictness: float) -> None:
    if not isinstance(linker, ExactLinker):
        raise TypeError(
            f"{type(linker).__name__} has no parameters to search for, so there is no program: "
            "give a WeightedMeanLinker, OWALinker, ChoquetLinker or BilinearLinker"
        )
    if not path.endswith(".mps"):
        raise ValueError(f"the file is named {path!r}: its name must end in .mps")
    if not 0 < strictness < math.inf:
        raise ValueError(
            f"strictness is {strictness!r}: it must be finite and above 0, or ties would be links"
        )


def _words(linker: ExactLinker) -> list[str]:
    """The names of the variables if they have any, with only letters, digits and full stops."""
    numbers = [str(k) for k in range(linker.n_features_in_)]
    names = getattr(linker, "feature_names_in_", numbers)
    words = [re.sub(r"[^A-Za-z0-9]", ".", name) for name in names]
    return words if len(set(words)) == len(words) else numbers
