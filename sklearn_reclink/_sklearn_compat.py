"""The names of scikit-learn that are not part of its public interface, in one place."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_params
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "num_samples",
    "safe_indexing",
    "validate_params",
]
