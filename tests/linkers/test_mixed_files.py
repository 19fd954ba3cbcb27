"""Laws of linkers on files with categories, levels and missing values, against exact enumeration.

300 cases per family; fewer where ``CI`` is set.

The optimum is enumerated in rationals, see `tests.linkers.mixed_enumeration`.
"""

import os
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    EuclideanLinker,
    HLMSChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    WeightedMeanLinker,
)
from tests.linkers.mixed_enumeration import (
    FAMILIES,
    NOMINAL,
    enumerated,
    fitted,
    informative,
    mixed_files,
)

N_EXAMPLES = 24 if os.environ.get("CI") else 300

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=N_EXAMPLES, deadline=None)
@given(mixed_files())
def test_optimum_is_the_enumerated_one(family: str, files: tuple[np.ndarray, np.ndarray]) -> None:
    """Laws 1, 2, 4 and 7."""
    X, Y = files
    if not informative(X, Y):
        return
    nominal = [] if family == "free bilinear" else NOMINAL
    linker = fitted(FAMILIES[family][0], X, Y, categorical_features=nominal)
    assert linker.status_ == "optimal"
    assert linker.n_linked_ == linker.bound_ == enumerated(X, Y, family)
    assert linker.score(X, Y) * len(X) == pytest.approx(linker.n_linked_)
    assert linker.n_linked_ <= getattr(linker, "ceiling_", len(X))


@settings(max_examples=N_EXAMPLES // 4, deadline=None)
@given(mixed_files((4, 9)))
def test_families_contain_each_other(files: tuple[np.ndarray, np.ndarray]) -> None:
    """Law 3, with a recount of the Euclidean distance."""
    X, Y = files
    if not informative(X, Y):
        return
    mean = fitted(WeightedMeanLinker(), X, Y)
    assert mean.n_linked_ <= fitted(ChoquetLinker(), X, Y).bound_
    assert mean.n_linked_ <= fitted(BilinearLinker(), X, Y).bound_
    assert (
        fitted(HLMSChoquetLinker(max_iter=2), X, Y).n_linked_
        <= fitted(ChoquetLinker(), X, Y).n_linked_
    )


@settings(max_examples=N_EXAMPLES // 2, deadline=None)
@given(mixed_files((4, 9)), st.randoms(use_true_random=False))
@pytest.mark.parametrize(
    "linker",
    [EuclideanLinker(), EuclideanLinker(standardize="gower"), WeightedMeanLinker(), OWALinker()],
    ids=["euclidean", "gower", "weighted mean", "OWA"],
)
def test_order_units_and_names_change_nothing(
    linker: Any, files: tuple[np.ndarray, np.ndarray], random: Any
) -> None:
    """Law 5: scaled and shifted numbers, renamed categories, other order of rows and columns."""
    X, Y = files
    if not informative(X, Y):
        return
    view = {"standardize": linker.standardize, "categorical_features": NOMINAL}
    expected = linker.set_params(**view).fit(X, Y).n_linked_
    rows, columns = list(range(len(X))), [0, 1, 2]
    random.shuffle(rows)
    random.shuffle(columns)
    other = []
    for file in (X, Y):
        changed = file.copy()
        changed[:, 0] = 4 * changed[:, 0] - 8
        changed[:, 2] = 7 - changed[:, 2] ** 2
        other.append(changed[rows][:, columns])
    linker.set_params(categorical_features=[columns.index(2)])
    assert linker.fit(*other).n_linked_ == expected


@pytest.mark.parametrize(
    "linker",
    [WeightedMeanLinker(), OWALinker(), ChoquetLinker(), BilinearLinker(), MahalanobisLinker()],
    ids=["weighted mean", "OWA", "Choquet", "bilinear", "Mahalanobis"],
)
def test_a_key_links_everybody(linker: Any) -> None:
    """Law 6: a category that is unique and kept, beside others that say little."""
    if isinstance(linker, OWALinker):
        pytest.skip("an OWA has no weight for one variable")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 2)), np.arange(40.0)])
    Y = np.column_stack([rng.normal(size=(40, 2)), np.arange(40.0)])
    X[rng.random(40) < 0.2, 0] = Y[rng.random(40) < 0.2, 1] = np.nan
    assert fitted(linker, X, Y, standardize="separate").n_linked_ == 40


def test_numbers_told_as_numbers_are_as_before() -> None:
    """A file of numbers without missing values takes no part in this."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3))
    Y = X + 0.2 * rng.normal(size=X.shape)
    plain = WeightedMeanLinker(random_state=0).fit(X, Y)
    assert plain.variables_ is None
    assert not hasattr(plain, "missing_weights_")
    mixed = WeightedMeanLinker(random_state=0, categorical_features=[]).fit(X, Y)
    assert mixed.n_linked_ == plain.n_linked_ == plain.bound_


def survey(n_records: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=(n_records, 2)), rng.integers(0, 4, n_records)])
    Y = X + np.column_stack([0.1 * rng.normal(size=(n_records, 2)), np.zeros(n_records)])
    Y[rng.random(Y.shape) < 0.15] = np.nan
    X[rng.random(n_records) < 0.1, 1] = np.nan
    return X, Y


@pytest.mark.parametrize("standardize", ["separate", "difference", "rank", None])
def test_a_batch_without_any_value_of_a_variable_is_linked(standardize: str | None) -> None:
    X, Y = survey()
    X[3, 0] = np.nan
    linker = fitted(EuclideanLinker(), X, Y, standardize=standardize)
    links = linker.predict(X)
    assert linker.predict(X[[3]]).tolist() == [links[3]]


def test_scales_of_a_variable_that_no_person_has_in_both_files() -> None:
    X, Y = survey()
    X[::2, 0] = Y[1::2, 0] = np.nan
    for linker in (EuclideanLinker(), MahalanobisLinker(), WeightedMeanLinker(time_limit=1)):
        assert fitted(linker, X, Y, standardize="difference").n_linked_ > 0


def test_files_in_shards_are_numbers() -> None:
    from sklearn_reclink import Shards

    X, Y = survey()
    linker = fitted(EuclideanLinker(), X, Y)
    with pytest.raises(ValueError, match="numbers without missing values"):
        linker.score(Shards(X), Shards(Y))


def test_positive_weights_beside_a_constant_column_link_as_many() -> None:
    X, Y = survey()
    wide = [np.column_stack([file, np.ones(len(file))]) for file in (X, Y)]
    found = fitted(WeightedMeanLinker(constraint="positive", time_limit=2), *wide)
    assert found.n_linked_ == fitted(WeightedMeanLinker(time_limit=2), X, Y).n_linked_


def test_a_second_fit_forgets_what_the_first_one_set() -> None:
    X, Y = survey()
    linker = fitted(EuclideanLinker(), X, Y)
    assert hasattr(linker, "missing_weights_") and hasattr(linker, "ceiling_")
    linker.set_params(standardize="gower", categorical_features=None)
    linker.fit(np.nan_to_num(X), np.nan_to_num(Y))
    assert not hasattr(linker, "missing_weights_") and not hasattr(linker, "ceiling_")


def test_rows_of_products_are_exact_beside_missing_values() -> None:
    from sklearn_reclink.families import Bilinear
    from sklearn_reclink.families.missing import mixed_family

    family = mixed_family(Bilinear(2), np.full(3, np.inf), np.array([[0, 0]]))
    original, own, other = np.array([[0.1, 0.7, 1.0], [0.3, 0.2, np.nan], [0.9, 0.1, 0.0]])
    row = family.integer_row(original, own, other)
    first, second = ([Fraction(x) for x in (original - one)[:2]] for one in (own, other))
    expected = [second[k] * second[m] - first[k] * first[m] for k, m in ((0, 0), (0, 1), (1, 1))]
    assert [Fraction(x, row[3]) for x in row] == [*expected, 1]


@pytest.mark.parametrize("rule", ["one_to_one", "balanced", "density"])
def test_rules_and_cross_validation_take_mixed_frames(rule: str) -> None:
    import pandas as pd
    from sklearn.model_selection import cross_validate

    X, Y = (
        pd.DataFrame(file, columns=["a", "b", "c"]).astype({"c": "Int64"}).astype({"c": "string"})
        for file in survey(90)
    )
    found = cross_validate(EuclideanLinker(rule=rule), X, Y, cv=3, error_score="raise")
    assert (found["test_score"] > 0).all()


def test_conflicts_settle_a_tie_that_cells_split_for_ever() -> None:
    """Of few records they are asked after a second, however long the cells might go on."""
    gap = np.nan
    X = [
        [2, 2, 1],
        [2, 4, 1],
        [3, 4, gap],
        [1, 1, 1],
        [1, gap, 0],
        [1, 0, 0],
        [2, 1, gap],
        [4, 1, 2],
    ]
    Y = [
        *([0, gap, 1], [4, 4, 1], [gap, 4, 1], [3, 0, gap]),
        *([4, 1, 1], [0, 4, gap], [4, gap, 1], [0, gap, 0]),
    ]
    linker = fitted(OWALinker(), np.array(X), np.array(Y), standardize="separate", time_limit=1e6)
    assert (linker.status_, linker.n_linked_) == ("optimal", 2)
