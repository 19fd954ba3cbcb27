"""What displays read from fitted linkers: names of variables, and comparable parameters.

With ``standardize=None`` a linker compares differences in the units of the file, so its weights
``w_k`` and its matrix ``M`` have units too. Those of the standardised differences, which give the
same distances, are ``w_k s_k^2`` and ``M_kl s_k s_l`` with ``s`` the standard deviations of the
masked file: they can be compared between variables, and are what the displays show.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink.inspection import drawing


@drawing.display
class ParameterDisplay(drawing.Display):
    """Base of the displays of what a fitted linker has learned."""

    feature_names: Sequence[str] | None = None

    _shown: ClassVar[tuple[str, ...]]  # fitted attributes, the first that a linker has is shown

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Sequence[str] | None = None, **options: Any
    ) -> Self:
        """Plot what a fitted linker has learned.

        Parameters
        ----------
        estimator : fitted linker
            One with the parameters that the display shows.
        feature_names : sequence of str or None, default=None
            Names of the variables, by default those of the file of `fit`.
        **options
            Passed to `plot`.

        Returns
        -------
        object
            The display.
        """
        check_is_fitted(estimator)
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        for attribute in cls._shown:
            if hasattr(estimator, attribute):
                learned = cls._read(estimator, attribute)
                return cls(**({"feature_names": feature_names} | learned)).plot(**options)
        raise ValueError(
            f"{cls.__name__} shows {' or '.join(cls._shown)}, and {type(estimator).__name__} has "
            "none of them after fit"
        )

    @staticmethod
    @abstractmethod
    def _read(estimator: Any, attribute: str) -> dict[str, Any]:
        """What to show of a fitted linker, as fields of the display."""

    @abstractmethod
    def plot(self, *, ax: Any = None) -> Self:
        """Draw the parameters."""

    def _names(self, n_features: int) -> list[str]:
        """One name per variable; x0, x1, ... if there are none."""
        if self.feature_names is None:
            return [f"x{k}" for k in range(n_features)]
        if len(self.feature_names) != n_features:
            raise ValueError(
                f"feature_names has {len(self.feature_names)} names for {n_features} variables: "
                "give one each"
            )
        return [str(name) for name in self.feature_names]


def comparable(estimator: Any, attribute: str) -> np.ndarray:
    """``weights_`` or ``matrix_`` of standardised differences.

    Weights sum to 1; the largest absolute value of a matrix is 1.
    """
    values = np.asarray(getattr(estimator, attribute), dtype=float)
    total = 1.0
    if estimator.standardize_ is None:
        sd = np.std(estimator.masked_, axis=0, ddof=1)
        values = values * (sd**2 if values.ndim == 1 else np.outer(sd, sd))
        total = values.sum()
    return values / (total if values.ndim == 1 else np.abs(values).max() or 1.0)
