"""Families of distances, each linear in its parameters: ``d^2 = theta . phi(diff)``."""

from sklearn_reclink.distances.base import Distance
from sklearn_reclink.distances.bilinear import Bilinear
from sklearn_reclink.distances.choquet import Choquet, KAdditiveChoquet
from sklearn_reclink.distances.owa import OWA
from sklearn_reclink.distances.weighted_mean import WeightedMean

__all__ = ["OWA", "Bilinear", "Choquet", "Distance", "KAdditiveChoquet", "WeightedMean"]
