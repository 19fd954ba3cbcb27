"""Families of distances: features in which the squared distance is linear, and their cones."""

from sklearn_reclink.families.base import Family
from sklearn_reclink.families.bilinear import Bilinear
from sklearn_reclink.families.choquet import Choquet, SubmodularChoquet
from sklearn_reclink.families.k_additive import KAdditiveChoquet, SubmodularKAdditiveChoquet
from sklearn_reclink.families.nonnegative import NonnegativeBilinear
from sklearn_reclink.families.owa import OWA
from sklearn_reclink.families.semidefinite import ProjectedBilinear, SemidefiniteBilinear
from sklearn_reclink.families.weighted_mean import WeightedMean

__all__ = [
    "OWA",
    "Bilinear",
    "Choquet",
    "Family",
    "KAdditiveChoquet",
    "NonnegativeBilinear",
    "ProjectedBilinear",
    "SemidefiniteBilinear",
    "SubmodularChoquet",
    "SubmodularKAdditiveChoquet",
    "WeightedMean",
]
