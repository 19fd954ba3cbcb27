"""Masking methods, as scikit-learn transformers."""

from sklearn_reclink.masking._microaggregation import Microaggregation, mdav

__all__ = ["Microaggregation", "mdav"]
