"""Masking methods, as scikit-learn transformers."""

from sklearn_reclink.masking._additive_noise import AdditiveNoise
from sklearn_reclink.masking._jpeg import JPEGMasking
from sklearn_reclink.masking._microaggregation import Microaggregation, mdav
from sklearn_reclink.masking._rank_swapping import RankSwapping
from sklearn_reclink.masking._univariate import UnivariateMicroaggregation

__all__ = [
    "AdditiveNoise",
    "JPEGMasking",
    "Microaggregation",
    "RankSwapping",
    "UnivariateMicroaggregation",
    "mdav",
]
