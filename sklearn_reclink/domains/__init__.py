"""Sets of admissible parameters, all of them convex cones."""

from sklearn_reclink.domains.base import Domain
from sklearn_reclink.domains.capacities import (
    KAdditiveCapacities,
    MonotoneCapacities,
    SubmodularCapacities,
)
from sklearn_reclink.domains.matrices import (
    NonnegativeOnPairs,
    PositiveSemidefinite,
    SymmetricMatrices,
)
from sklearn_reclink.domains.orthant import Orthant

__all__ = [
    "Domain",
    "KAdditiveCapacities",
    "MonotoneCapacities",
    "NonnegativeOnPairs",
    "Orthant",
    "PositiveSemidefinite",
    "SubmodularCapacities",
    "SymmetricMatrices",
]
