"""The estimators."""

from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._bilinear import BilinearLinker
from sklearn_reclink.linkers._choquet import ChoquetLinker
from sklearn_reclink.linkers._density import DensityLinker
from sklearn_reclink.linkers._euclidean import EuclideanLinker
from sklearn_reclink.linkers._export import export_mps
from sklearn_reclink.linkers._hlms import HLMSChoquetLinker
from sklearn_reclink.linkers._mahalanobis import MahalanobisLinker
from sklearn_reclink.linkers._owa import OWALinker
from sklearn_reclink.linkers._probabilistic import ProbabilisticLinker
from sklearn_reclink.linkers._transformed import TransformedLinker
from sklearn_reclink.linkers._weighted_mean import WeightedMeanLinker

# Every public linker; the tests of laws and of scikit-learn's conventions run over this tuple.
ALL_LINKERS: tuple[type[BaseLinker], ...] = (
    EuclideanLinker,
    MahalanobisLinker,
    WeightedMeanLinker,
    OWALinker,
    ChoquetLinker,
    HLMSChoquetLinker,
    BilinearLinker,
    ProbabilisticLinker,
    DensityLinker,
)

__all__ = [
    "ALL_LINKERS",
    "BaseLinker",
    "BilinearLinker",
    "ChoquetLinker",
    "DensityLinker",
    "EuclideanLinker",
    "HLMSChoquetLinker",
    "MahalanobisLinker",
    "OWALinker",
    "ProbabilisticLinker",
    "TransformedLinker",
    "WeightedMeanLinker",
    "export_mps",
]
