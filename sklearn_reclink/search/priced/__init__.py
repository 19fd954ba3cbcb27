"""Exact search where every masked record has a price, by trees whose boxes know their least price.

The rules link record ``i`` to the least ``d_ij + price_j``. A box that holds points of distance at
least ``d`` and price at least ``v`` holds none below ``d + v``: that prunes for every distance with
a bound of a box, and for every price.
"""

from sklearn_reclink.search.priced.planting import Coordinates, plant
from sklearn_reclink.search.priced.search import PricedSearch

__all__ = ["Coordinates", "PricedSearch", "plant"]
