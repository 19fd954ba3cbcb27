"""Families of distances, each linear in its parameters: ``d^2 = theta . phi(diff)``."""

from sklearn_reclink.distances.base import Distance
from sklearn_reclink.distances.bilinear import Bilinear
from sklearn_reclink.distances.weighted_mean import WeightedMean

__all__ = ["Bilinear", "Distance", "WeightedMean"]
