"""Releases that are not aligned: nearest records, copies, singling out, against a holdout."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.metrics import nearest_records, singling_out
from sklearn_reclink.metrics.record_space import UnalignedFiles


def mixed(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """People with numbers, categories and missing values."""
    age = rng.normal(50, 12, n)
    table = pd.DataFrame(
        {
            "age": age,
            "income": np.exp(rng.normal(8, 0.7, n) + age / 100),
            "job": pd.Categorical(rng.choice(list("abcde"), n)),
            "size": rng.normal(170, 9, n),
        }
    )
    return table.mask(rng.random(table.shape) < 0.05)


def test_distances_by_hand():
    X, Y = np.array([[0.0], [3.0], [4.0], [9.0]]), np.array([[0.0], [1.0], [9.5]])
    H = np.array([[1.0], [20.0]])
    found = nearest_records(X, Y, H)
    sd = np.concatenate([X, Y, H]).std(ddof=1)
    np.testing.assert_allclose(found.distance * sd, [0, 2, 3, 0.5])
    np.testing.assert_allclose(found.ratio, [0, 2 / 3, 3 / 4, 0.5 / 8])
    np.testing.assert_allclose(found.to_other_original * sd, [3, 1, 1, 5])
    np.testing.assert_allclose(found.holdout_distance * sd, [0, 10.5])
    assert found.copied.tolist() == [True, False, False, False]
    assert found.holdout_copied.tolist() == [True, False]
    assert found.identifiable.n_right == 2 and found.identifiable_expected == 0.5
    # 0 ties with 0 and is below 10.5, the others are below one of two
    assert found.nearer[0] == pytest.approx((0.75 + 0.5 * 3) / 4)
    assert found.near_threshold == 0
    assert found.near.attack.share == 0.25 and found.near.control.share == 0.5


def test_distances_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    X, Y, H = (mixed(rng, n) for n in (60, 50, 40))
    files = UnalignedFiles.read(X, Y, H)
    both = pd.concat([X, Y, H])
    total = np.zeros((60, 50))
    for name in X:
        if name == "job":
            shares = both[name].value_counts(normalize=True).to_numpy()
            a, b = X[name].to_numpy(object), Y[name].to_numpy(object)
            cost = (a[:, None] != b) * 2 / (1 - (shares**2).sum())
            present = both[name].dropna().to_numpy(object)
            expected = [(v != present).mean() * 2 / (1 - (shares**2).sum()) for v in a]
            other = [(v != present).mean() * 2 / (1 - (shares**2).sum()) for v in b]
        else:
            sd = both[name].std()
            a, b = X[name].to_numpy() / sd, Y[name].to_numpy() / sd
            cost = (a[:, None] - b) ** 2
            present = both[name].dropna().to_numpy() / sd
            expected, other = (((v[:, None] - present) ** 2).mean(axis=1) for v in (a, b))
        gone, missing = pd.isna(X[name]).to_numpy(), pd.isna(Y[name]).to_numpy()
        cost = np.where(missing, np.array(expected)[:, None], cost)
        cost = np.where(gone[:, None], np.array(other), cost)
        total += np.where(gone[:, None] & missing, 0.0, cost.astype(float))
    distances, rows = files.nearest(files.original, files.release, 2)
    np.testing.assert_allclose(distances**2, np.sort(total / 4, axis=1)[:, :2], rtol=1e-9)
    np.testing.assert_array_equal(rows[:, 0], total.argmin(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_new_draws_from_the_population_show_no_excess(seed):
    rng = np.random.default_rng(seed)
    X, Y, H = (mixed(rng, 300) for _ in range(3))
    found = nearest_records(X, Y, H)
    assert not found.copied.any()
    for low, high in (found.near.interval, found.nearer[1:], found.identifiable_excess[1:]):
        middle = 0.5 if (low, high) == found.nearer[1:] else 0.0
        assert low - 0.02 <= middle <= high + 0.02  # four seeds of 95 %
    out = singling_out(X, Y, H, random_state=seed)
    assert out.excess.interval[0] - 0.02 <= 0 <= out.excess.interval[1] + 0.02


@pytest.mark.parametrize("seed", range(3))
def test_a_fifth_of_copies_is_caught(seed):
    rng = np.random.default_rng(seed)
    X, Y, H = (mixed(rng, 300) for _ in range(3))
    Y = pd.concat([X[:60], Y[60:]], ignore_index=True).sample(frac=1, random_state=seed)
    found = nearest_records(X, Y, H)
    assert found.copied_share.share == 0.2 and found.unique_copied.share == 0.2
    assert found.copied_excess.risk == pytest.approx(0.2)
    assert found.near.interval[0] > 0.1 and 0.13 < found.near.risk < 0.27
    assert found.nearer[1] > 0.5


def test_a_shuffled_release_with_little_noise_is_caught_without_a_holdout():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    Y = rng.permutation(X + rng.normal(scale=0.02, size=X.shape))
    found = nearest_records(X, Y)
    assert found.near is None and found.nearer is None and not found.copied.any()
    assert found.identifiable_excess[0] > 0.9


def test_units_change_nothing():
    rng = np.random.default_rng(5)
    files = [mixed(rng, n) for n in (80, 70, 60)]
    scaled = [one.assign(age=one["age"] * -365 + 3, income=one["income"] * 1e6) for one in files]
    before, after = nearest_records(*files), nearest_records(*scaled)
    np.testing.assert_allclose(after.distance, before.distance)
    assert after.near == before.near
    first, second = (singling_out(*one, random_state=0) for one in (files, scaled))
    assert first.attack.n_tried == second.attack.n_tried


def test_singling_out_by_hand():
    # one variable: only the extremes of the release fit one record each
    Y = np.array([[1.0], [2.0], [3.0], [9.0]])
    X = np.array([[0.5], [2.0], [2.5], [8.0]])
    found = singling_out(X, Y, np.array([[0.0], [1.0], [9.5], [9.0]]), random_state=0)
    # "at most 1" fits one original and two others, "at least 9" no original and two others
    assert (found.attack.n_right, found.control.n_right, found.attack.n_tried) == (1, 0, 2)
    assert found.n_columns == 1 and found.n_people == 4


def test_refusals_name_the_file():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match="holdout has 1 record"):
        nearest_records(X, X, X[:1])
    with pytest.raises(ValueError, match="release y has 1 columns, original has 2"):
        nearest_records(X, X[:, :1])
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="holdout has 2 columns"):
        nearest_records(frame, frame, frame.set_axis(["a", "c"], axis=1))
    with pytest.raises(ValueError, match="n_attacks is 0"):
        singling_out(X, X, n_attacks=0)
