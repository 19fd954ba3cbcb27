"""The names of scikit-learn that are not part of its public interface, in one place."""

from sklearn.base import _fit_context as fit_context  # noqa: F401
from sklearn.utils import _safe_indexing as safe_indexing  # noqa: F401
from sklearn.utils._param_validation import (  # noqa: F401
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
    validate_params,
)
from sklearn.utils.validation import _num_samples as num_samples  # noqa: F401
