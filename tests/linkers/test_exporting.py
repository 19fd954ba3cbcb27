import highspy
import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    EuclideanLinker,
    OWALinker,
    WeightedMeanLinker,
    export_mps,
)

LINKERS = [
    WeightedMeanLinker(),
    OWALinker(),
    ChoquetLinker(),
    ChoquetLinker(constraint="submodular"),
    ChoquetLinker(k_additive=2),
    ChoquetLinker(k_additive=2, constraint="submodular"),
    BilinearLinker(constraint="free"),
    BilinearLinker(constraint="nonnegative"),
]


def pair():
    """Integers far from ties, so that a solver's tolerances do not matter."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (7, 3))
    return X, X + rng.integers(-3, 4, X.shape)


def read(path):
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    return highs


@pytest.mark.parametrize("linker", LINKERS, ids=repr)
def test_exported_program_has_the_optimum_of_the_linker(tmp_path, linker):
    X, Y = pair()
    path = tmp_path / "program.mps"
    linker.set_params(standardize=None, random_state=0)
    export_mps(linker, X, Y, path, strictness=1e-3)
    assert not hasattr(linker, "scales_")
    highs = read(path)
    names = highs.getLp().col_names_
    assert [name for name in names if name.startswith("K_")] == [f"K_{i}" for i in range(7)]
    assert sum(name.startswith("theta_") for name in names) == len(names) - 7
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    links = 7 - round(highs.getInfo().objective_function_value)
    assert links == linker.fit(X, Y).n_linked_ == linker.bound_


@pytest.mark.parametrize(
    ("linker", "expected"),
    [
        (WeightedMeanLinker(), ["a", "tax.paid"]),
        (OWALinker(), ["rank1", "rank2"]),
        (ChoquetLinker(), ["a", "tax.paid", "a_tax.paid"]),
        (ChoquetLinker(k_additive=1), ["a", "tax.paid"]),
        (BilinearLinker(constraint="projected"), ["a_a", "a_tax.paid", "tax.paid_tax.paid"]),
    ],
    ids=repr,
)
def test_columns_are_named_after_the_variables_that_take_part(tmp_path, linker, expected):
    X, Y = (pd.DataFrame(file, columns=["a", "constant", "tax paid"]) for file in pair())
    path = tmp_path / "program.mps"
    export_mps(linker, X.assign(constant=1), Y.assign(constant=1), path)
    names = read(path).getLp().col_names_
    assert names[: len(expected)] == [f"theta_{word}" for word in expected]
    assert names[len(expected)] == "K_0"


@pytest.mark.parametrize("strictness", [np.nan, np.inf, -1.0, 0.0])
def test_bad_strictness_is_refused_before_anything_is_written(tmp_path, strictness):
    path = tmp_path / "program.mps"
    with pytest.raises(ValueError, match=r"strictness is .* finite and above 0"):
        export_mps(WeightedMeanLinker(), *pair(), path, strictness=strictness)
    assert not path.exists()


def test_fitted_linker_is_left_as_it_is(tmp_path):
    X, Y = pair()
    linker = WeightedMeanLinker(random_state=0).fit(X, Y)
    weights, masked = linker.weights_, linker.masked_
    export_mps(linker, X[:5], Y[:5], tmp_path / "program.mps")
    assert linker.weights_ is weights and linker.masked_ is masked


@pytest.mark.parametrize(
    ("linker", "name", "error", "message"),
    [
        (EuclideanLinker(), "program.mps", TypeError, "has no parameters to search for"),
        (WeightedMeanLinker(), "program.lp", ValueError, "must end in .mps"),
        (WeightedMeanLinker(constraint="any"), "program.mps", ValueError, "'constraint'"),
        (BilinearLinker(constraint="psd"), "program.mps", ValueError, "infinitely many rows"),
        (WeightedMeanLinker(), "no/such/folder.mps", OSError, "could not write"),
    ],
)
def test_what_cannot_be_exported_is_said(tmp_path, linker, name, error, message):
    with pytest.raises(error, match=message):
        export_mps(linker, *pair(), tmp_path / name)
