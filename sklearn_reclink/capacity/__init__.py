"""Capacities (fuzzy measures): what subsets of variables weigh, and how to read it.

A *capacity* ``mu`` on ``n`` variables gives every subset a weight, ``mu(empty) = 0`` and
``mu(A) <= mu(B)`` where ``A`` is in ``B``; here it is the vector of its ``2^n`` values by dyadic
index. Bit k of an index is set iff variable k is in the subset, so index 5 is the subset {0, 2}.

========================  =========================================================================
`subsets`                 subsets by index, sizes, the lattice
`transforms`              Moebius transform and back, dual, capacities of weighted means and OWA
`indices`                 Shapley values, interaction, orness, veto and favour: what a variable or a
                          group of variables contributes
`properties`              monotone, additive, k-additive, symmetric, sub- and supermodular
========================  =========================================================================

Examples
--------
>>> import numpy as np
>>> from sklearn_reclink.capacity import interaction_matrix, is_submodular, shapley
>>> capacity = np.array([0.0, 0.5, 0.75, 1.0])  # empty, {0}, {1}, {0, 1}
>>> shapley(capacity)
array([0.375, 0.625])
>>> is_submodular(capacity)  # together the two weigh less than the sum of their weights
True
>>> print(interaction_matrix(capacity).round(3))
[[ 0.375 -0.25 ]
 [-0.25   0.625]]
"""

from sklearn_reclink.capacity.indices import (
    favour,
    interaction_index,
    interaction_matrix,
    orness,
    shapley,
    veto,
)
from sklearn_reclink.capacity.properties import (
    additivity_order,
    is_additive,
    is_capacity,
    is_k_additive,
    is_monotone,
    is_submodular,
    is_supermodular,
    is_symmetric,
)
from sklearn_reclink.capacity.subsets import (
    lattice_edges,
    small_subsets,
    subset_members,
    subset_sizes,
)
from sklearn_reclink.capacity.transforms import (
    additive_capacity,
    capacity_to_mobius,
    dual,
    mobius_to_capacity,
    n_variables,
    symmetric_capacity,
)

__all__ = [
    "additive_capacity",
    "additivity_order",
    "capacity_to_mobius",
    "dual",
    "favour",
    "interaction_index",
    "interaction_matrix",
    "is_additive",
    "is_capacity",
    "is_k_additive",
    "is_monotone",
    "is_submodular",
    "is_supermodular",
    "is_symmetric",
    "lattice_edges",
    "mobius_to_capacity",
    "n_variables",
    "orness",
    "shapley",
    "small_subsets",
    "subset_members",
    "subset_sizes",
    "symmetric_capacity",
    "veto",
]
