"""Exact search of masked records, with ties, at any number of records."""

from sklearn_reclink.search.index import Index
from sklearn_reclink.search.links import Links
from sklearn_reclink.search.pairs import DistancePairs, Pairs, Search

__all__ = ["DistancePairs", "Index", "Links", "Pairs", "Search"]
