"""Maskers are transformers as scikit-learn checks them."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_reclink.masking import (
    PRAM,
    AdditiveNoise,
    DataShuffling,
    GlobalRecoding,
    JPEGMasking,
    LocalSuppression,
    Microaggregation,
    RankSwapping,
    Rounding,
    TopBottomCoding,
    UnivariateMicroaggregation,
)

WHOLE_FILE = "masks a file as a whole, so a part or another order of it is masked differently"
OF_NUMBERS = [
    RankSwapping(p=20, random_state=0),
    AdditiveNoise(random_state=0),
    AdditiveNoise(correlated=True, keep_integers=True, random_state=0),
    JPEGMasking(),
    DataShuffling(random_state=0),
    DataShuffling(20, k=2, keep_integers=True, random_state=0),
    UnivariateMicroaggregation(),
    UnivariateMicroaggregation(k=2, optimal=True, keep_integers=True),
]
MASKERS = [
    *OF_NUMBERS,
    Microaggregation(),
    Microaggregation(groups=1, k=2, standardize=True, keep_integers=True),
    PRAM(random_state=0),
    LocalSuppression(k=2),
    GlobalRecoding(bands=0.5, labels="mean"),
    TopBottomCoding(replace="mean"),
    Rounding(base=0.5, random=True, random_state=0),
]
RECORD_BY_RECORD = (GlobalRecoding, TopBottomCoding)
ORDER_MATTERS = (AdditiveNoise, DataShuffling, JPEGMasking, PRAM, Rounding)


def expected_failures(masker):
    failures = {}
    if not isinstance(masker, RECORD_BY_RECORD):
        failures["check_methods_subset_invariance"] = WHOLE_FILE
    if isinstance(masker, ORDER_MATTERS) and getattr(masker, "k", 1) == 1:
        failures["check_methods_sample_order_invariance"] = WHOLE_FILE
    return failures


@parametrize_with_checks(MASKERS, expected_failed_checks=expected_failures)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)
