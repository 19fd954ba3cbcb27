"""Exact search of the nearest masked record, with ties, at any number of records.

Coordinates are standardised, ``diff = original_i - masked_j``. For record ``i``::

    nearest      min_j d_ij
    tied         the candidates j that the nearest is not strictly nearer than (rule of `ties`)
    link         the lowest row among the tied
    linked       d_ii is strictly less than d_ij for every j != i

``questions`` holds the functions; ``all_pairs`` answers them by brute force and ``treed`` by a
tree (`trees`) wherever the distance has a monotone guide; ``batches`` runs either on joblib's
workers. Both judge with the floats of ``Distance.evaluate``, so no answer depends on which of them
ran, on the size of the batches, the shape of the tree or the number of workers.
"""

from sklearn_reclink.search.impostors import nearest_impostors
from sklearn_reclink.search.links import Links
from sklearn_reclink.search.questions import k_nearest, link, linked_mask, nearest

__all__ = ["Links", "k_nearest", "link", "linked_mask", "nearest", "nearest_impostors"]
