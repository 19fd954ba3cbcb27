"""Laws of `BilinearLinker` on files of numbers, categories and missing values, against enumeration.

300 cases per constraint; fewer where ``CI`` is set. Files of one and two variables: there a
positive semidefinite matrix is decided in rationals too, whatever missing values cost.
"""

import os

import numpy as np
import pytest
from hypothesis import assume, event, given, settings

from sklearn_reclink import BilinearLinker
from tests.linkers.mixed_enumeration import (
    enumerated_matrices,
    fitted,
    informative,
    narrow_files,
)

N_EXAMPLES = 24 if os.environ.get("CI") else 300

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("constraint", ["free", "nonnegative", "psd"])
@settings(max_examples=N_EXAMPLES, deadline=None)
@given(narrow_files())
def test_optimum_is_the_enumerated_one(
    constraint: str, files: tuple[np.ndarray, np.ndarray, list[int]]
) -> None:
    """Laws 1, 2, 4 and 7."""
    X, Y, nominal = files
    assume(np.isnan(np.vstack([X, Y])[:, informative(X, Y)]).any())
    optimum = enumerated_matrices(X, Y, nominal, constraint)
    linker = fitted(BilinearLinker(constraint=constraint), X, Y, categorical_features=nominal)
    event(linker.status_)
    assert linker.n_linked_ <= optimum <= linker.bound_
    assert linker.score(X, Y) * len(X) == pytest.approx(linker.n_linked_)
    assert linker.status_ in ("optimal", "undecided")
    assert (linker.n_linked_ == linker.bound_) == (linker.status_ == "optimal")


@pytest.mark.parametrize("missing", [0, 1], ids=["masked", "original"])
def test_an_exact_tie_of_semidefinite_matrices_is_settled_beside_missing_values(
    missing: int,
) -> None:
    """No row of the cone in floats proves it: only the dual cone, which missing values widen."""
    X = np.array([[6, 4], [6, 3], [0, 5], [5, 5], [3, 0], [0, 4], [2, 2], [40, 40]], dtype=float)
    Y = np.array([[6, 3], [3, 2], [5, 6], [1, 0], [4, 5], [0, 5], [4, 4], [40, 40]], dtype=float)
    (Y, X)[missing][-1, 0] = np.nan
    linker = fitted(BilinearLinker(), X, Y, categorical_features=[])
    assert linker.status_ == "optimal"
    assert linker.n_linked_ == linker.bound_ == enumerated_matrices(X, Y, [], "psd") == 4
