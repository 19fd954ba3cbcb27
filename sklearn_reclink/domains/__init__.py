"""Sets of admissible parameters, all of them convex cones."""

from sklearn_reclink.domains.base import Domain
from sklearn_reclink.domains.orthant import Orthant

__all__ = ["Domain", "Orthant"]
