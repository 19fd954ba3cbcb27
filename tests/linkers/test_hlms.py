import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import ChoquetLinker, EuclideanLinker, HLMSChoquetLinker
from sklearn_reclink.capacity import capacity_to_mobius, is_monotone
from tests.papers import FILES

SEEDS = st.integers(0, 2**32 - 1)


def noisy_pair(seed, n_records=50):
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(n_records, 3))
    return X, X + rng.normal(size=X.shape) * [0.02, 0.3, 1.5]


@pytest.mark.parametrize("steps", ["relative", "absolute"])
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_never_below_euclidean_and_never_above_the_ceiling(steps, seed):
    X, Y = noisy_pair(seed)
    linker = HLMSChoquetLinker(steps=steps, max_iter=3, refine=30, random_state=0).fit(X, Y)
    assert EuclideanLinker().fit(X, Y).n_linked_ <= linker.n_linked_
    assert max(linker.history_) <= linker.n_linked_ <= linker.bound_ == linker.ceiling_
    assert linker.history_.shape == (linker.n_iter_ + 1,)


def test_capacity_is_a_capacity(files):
    X, Y = files
    linker = HLMSChoquetLinker(random_state=0).fit(X, Y)
    assert linker.capacity_.shape == linker.mobius_.shape == (16,)
    assert linker.capacity_[0] == 0 and linker.capacity_[-1] == 1
    assert is_monotone(linker.capacity_)
    np.testing.assert_array_equal(linker.mobius_, capacity_to_mobius(linker.capacity_))


def test_random_state_decides_everything(files):
    X, Y = files
    fits = [HLMSChoquetLinker(random_state=seed).fit(X, Y).capacity_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.any(fits[0] != fits[2])


def test_constant_column_adds_nothing(files):
    X, Y = files
    expected = HLMSChoquetLinker(random_state=0).fit(X, Y)
    wide = [np.insert(file, 1, 7.0, axis=1) for file in (X, Y)]
    linker = HLMSChoquetLinker(random_state=0).fit(*wide)
    assert linker.n_linked_ == expected.n_linked_
    subsets = np.arange(32)
    np.testing.assert_array_equal(linker.capacity_[subsets | 2], linker.capacity_)
    np.testing.assert_array_equal(linker.capacity_[[0, 1, 4, 5]], expected.capacity_[:4])


def test_time_limit_keeps_what_there_is_and_warns(files):
    X, Y = files
    with pytest.warns(ConvergenceWarning, match=r"limit of 0 s ended .* after 0 of 10 epochs"):
        linker = HLMSChoquetLinker(time_limit=0).fit(X, Y)
    assert linker.n_linked_ >= EuclideanLinker().fit(X, Y).n_linked_
    assert linker.n_iter_ == 0


def test_key_variable_gives_everyone_away():
    X, Y = noisy_pair(0)
    X[:, 1] = Y[:, 1] = np.random.default_rng(1).permutation(len(X))
    linker = HLMSChoquetLinker(random_state=0).fit(X, Y)
    assert linker.score(X, Y) == 1.0 and linker.status_ == "optimal"


def test_progress_is_printed(files, capsys):
    HLMSChoquetLinker(verbose=1, max_iter=2, refine=10).fit(*files)
    assert "epoch 2:" in capsys.readouterr().out


def test_more_variables_than_a_capacity_can_have_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 11))
    with pytest.raises(ValueError, match="at most 10 variables are possible"):
        HLMSChoquetLinker().fit(X, X + 0.1)


@pytest.mark.census
@pytest.mark.parametrize("name", ["M4-28", "M5-38"])
def test_mean_rate_is_within_two_points_of_the_proven_optimum(census, name):
    X, Y = FILES[name].draw(census, 0)
    optimum = ChoquetLinker(random_state=0).fit(X, Y)
    assert optimum.status_ == "optimal"
    links = [HLMSChoquetLinker(random_state=seed).fit(X, Y).n_linked_ for seed in range(3)]
    assert optimum.n_linked_ - 8 <= np.mean(links) <= optimum.n_linked_
