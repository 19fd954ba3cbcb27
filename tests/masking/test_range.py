"""Numbers near the ends of the range of floats are masked soundly, or refused in a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.masking import (
    AdditiveNoise,
    DataShuffling,
    JPEGMasking,
    Microaggregation,
    RankSwapping,
    Rounding,
    TopBottomCoding,
    UnivariateMicroaggregation,
)

MASKERS = {
    "noise": AdditiveNoise(p=50, random_state=0),
    "correlated noise": AdditiveNoise(p=50, correlated=True, random_state=0),
    "groups": Microaggregation(k=2),
    "groups, standardised": Microaggregation(k=2, standardize=True),
    "univariate": UnivariateMicroaggregation(k=2),
    "swapping": RankSwapping(p=50, random_state=0),
    "shuffling": DataShuffling(random_state=0),
    "shuffled sets": DataShuffling(k=2, random_state=0),
    "jpeg": JPEGMasking(),
    "tails": TopBottomCoding(0.2, 0.8),
    "rounding": Rounding(base=1e-3),
}


@pytest.mark.parametrize("masker", MASKERS.values(), ids=MASKERS)
@pytest.mark.parametrize("largest", [1e-300, 1e300, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_what_is_released_is_finite_or_refused_by_its_column(masker, largest):
    wages = np.array([1.0, -1.0, 0.1, 0.0, 0.7, -0.4]) * largest
    X = pd.DataFrame({"age": np.arange(6.0), "wage": wages})
    try:
        Y = masker.fit_transform(X)
    except ValueError as error:
        assert "column 'wage' holds numbers so large or so small" in str(error)
    else:
        assert np.isfinite(Y).all(axis=None)


@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize("power", [-1000, 800, 1000])
def test_noise_of_a_scaled_file_is_the_scaled_noise(correlated, power):
    X = np.random.default_rng(0).normal(size=(50, 2))
    masker = AdditiveNoise(p=20, correlated=correlated, random_state=0)
    assert (
        masker.fit_transform(np.ldexp(X, power)) == np.ldexp(masker.fit_transform(X), power)
    ).all()


def test_groups_of_a_scaled_file_are_the_same():
    X = np.random.default_rng(0).normal(size=(50, 2))
    masker = Microaggregation(k=3, standardize=True)
    expected = np.ldexp(masker.fit_transform(X), 1000)
    assert (masker.fit_transform(np.ldexp(X, 1000)) == expected).all()
