"""Sets of admissible parameters, all of them convex cones."""

from sklearn_reclink.families.cone_base import Domain
from sklearn_reclink.families.cone_capacities import (
    KAdditiveCapacities,
    MonotoneCapacities,
    SubmodularCapacities,
)
from sklearn_reclink.families.cone_matrices import (
    NonnegativeOnPairs,
    PositiveSemidefinite,
    SymmetricMatrices,
)
from sklearn_reclink.families.cone_orthant import Orthant

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
