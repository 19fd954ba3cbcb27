"""Families of distances, each linear in its parameters: ``d^2 = theta . phi(diff)``."""

from sklearn_reclink.families.base import Distance
from sklearn_reclink.families.bilinear import Bilinear
from sklearn_reclink.families.choquet import Choquet, KAdditiveChoquet
from sklearn_reclink.families.owa import OWA
from sklearn_reclink.families.weighted_mean import WeightedMean

__all__ = ["OWA", "Bilinear", "Choquet", "Distance", "KAdditiveChoquet", "WeightedMean"]
