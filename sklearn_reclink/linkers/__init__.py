"""The estimators."""

from sklearn_reclink.linkers.base import BaseLinker
from sklearn_reclink.linkers.bilinear import BilinearLinker
from sklearn_reclink.linkers.choquet import ChoquetLinker
from sklearn_reclink.linkers.euclidean import EuclideanLinker
from sklearn_reclink.linkers.exporting import export_mps
from sklearn_reclink.linkers.hlms import HLMSChoquetLinker
from sklearn_reclink.linkers.mahalanobis import MahalanobisLinker
from sklearn_reclink.linkers.owa import OWALinker
from sklearn_reclink.linkers.probabilistic import ProbabilisticLinker
from sklearn_reclink.linkers.weighted_mean import WeightedMeanLinker

# Every public linker; the tests of laws and of scikit-learn's conventions run over this tuple.
ALL_LINKERS: tuple[type[BaseLinker], ...] = (
    EuclideanLinker,
    MahalanobisLinker,
    WeightedMeanLinker,
    OWALinker,
    ChoquetLinker,
    HLMSChoquetLinker,
    BilinearLinker,
)

__all__ = [
    "ALL_LINKERS",
    "BaseLinker",
    "BilinearLinker",
    "ChoquetLinker",
    "EuclideanLinker",
    "HLMSChoquetLinker",
    "MahalanobisLinker",
    "OWALinker",
    "ProbabilisticLinker",
    "WeightedMeanLinker",
    "export_mps",
]
