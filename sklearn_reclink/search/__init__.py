"""Exact search of masked records, with ties, at any number of records."""

from sklearn_reclink.search.index import DistancePairs, Index, Pairs, Search
from sklearn_reclink.search.links import Links

__all__ = ["DistancePairs", "Index", "Links", "Pairs", "Search"]
