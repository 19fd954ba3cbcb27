"""Masking methods, as scikit-learn transformers."""

from sklearn_reclink.masking._additive_noise import AdditiveNoise
from sklearn_reclink.masking._global_recoding import GlobalRecoding
from sklearn_reclink.masking._jpeg import JPEGMasking
from sklearn_reclink.masking._local_suppression import LocalSuppression
from sklearn_reclink.masking._microaggregation import Microaggregation, mdav
from sklearn_reclink.masking._pram import PRAM
from sklearn_reclink.masking._rank_swapping import RankSwapping
from sklearn_reclink.masking._rounding import Rounding
from sklearn_reclink.masking._shuffling import DataShuffling
from sklearn_reclink.masking._top_bottom_coding import TopBottomCoding
from sklearn_reclink.masking._univariate import UnivariateMicroaggregation

__all__ = [
    "PRAM",
    "AdditiveNoise",
    "DataShuffling",
    "GlobalRecoding",
    "JPEGMasking",
    "LocalSuppression",
    "Microaggregation",
    "RankSwapping",
    "Rounding",
    "TopBottomCoding",
    "UnivariateMicroaggregation",
    "mdav",
]
