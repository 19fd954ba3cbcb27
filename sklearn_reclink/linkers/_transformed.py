"""A linker behind a transformer of both files.

In a `Pipeline` scikit-learn transforms ``X`` alone: a linker behind a transformer would compare
transformed originals with masked records as they were. `TransformedLinker` transforms both files.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink._sklearn_compat import HasMethods, StrOptions, fit_context
from sklearn_reclink.data.exactness import check_exact
from sklearn_reclink.data.pool import Pool, unwrapped
from sklearn_reclink.data.reading import check_given, column_names, match_columns
from sklearn_reclink.linkers._base import BaseLinker
from sklearn_reclink.linkers._callbacks import CallbackSupportMixin, inner_fit, reports_tasks
from sklearn_reclink.search import Links


@dataclass(eq=False, repr=False)
class TransformedLinker(CallbackSupportMixin, MetaEstimatorMixin, BaseEstimator):
    """Transform both files, then link.

    Parameters
    ----------
    linker : linker
        Links the transformed files.
    transformer : transformer
        Any transformer of scikit-learn, such as `PCA`, `PowerTransformer`, an encoder, an imputer
        or a pipeline of them.
    fit_on : {"original", "each"}, default="original"
        Whether the transformer is fitted on the original file and applied to both, or fitted on
        each file and applied to that. With transformers that shift or rotate the axes according to
        the data, such as `PCA`, the files can be compared only if the transformer is fitted on one
        of them.

    Attributes
    ----------
    linker_ : linker
        The fitted linker.
    original_transformer_, masked_transformer_ : transformer
        The fitted transformers; one and the same with ``fit_on="original"``.
    n_linked_ : int
        Number of records re-identified in the files of `fit`.
    bound_ : int or None
        No admissible parameters of the linker re-identify more records of the transformed files.
    status_ : str
        What the linker says of its search.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import PowerTransformer
    >>> from sklearn_reclink import EuclideanLinker, TransformedLinker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.lognormal(size=(200, 3))
    >>> Y = X * rng.lognormal(sigma=0.2, size=X.shape)
    >>> EuclideanLinker().fit(X, Y).score(X, Y)
    0.485
    >>> linker = TransformedLinker(EuclideanLinker(), PowerTransformer())
    >>> linker.fit(X, Y).score(X, Y)
    0.66
    """

    linker: Any
    transformer: Any
    _: KW_ONLY
    fit_on: str = "original"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "linker": [BaseLinker],
        "transformer": [HasMethods(["fit", "transform"])],
        "fit_on": [StrOptions({"original", "each"})],
    }

    @fit_context(prefer_skip_nested_validation=False)
    @reports_tasks
    def fit(self, X: Any, y: Any = None, pool: Any = None, reference: Any = None) -> Self:
        """Fit the transformer and the linker; the files are those of the linker's ``fit``.

        Parameters
        ----------
        X, y, pool, reference
            As in the linker; all are transformed.

        Returns
        -------
        self
        """
        check_given(self, y)
        names = column_names(X)
        self.original_transformer_ = clone(self.transformer).fit(X)
        self.masked_transformer_ = self.original_transformer_
        if self.fit_on == "each":
            whole = y if pool is None else unwrapped(pool)
            self.masked_transformer_ = clone(self.transformer).fit(match_columns(names, whole))
        if reference is not None:
            reference = self._original(reference)
        files = self._transformed(X, y)
        pool = self._transformed_pool(X, pool)
        self.linker_ = clone(self.linker)
        with inner_fit(self, self.linker_):
            self.linker_.fit(*files, pool=pool, reference=reference)
        self.n_linked_, self.bound_ = self.linker_.n_linked_, self.linker_.bound_
        self.status_ = self.linker_.status_
        return self

    def predict(self, X: Any, pool: Any = None) -> np.ndarray:
        """Link each original record to a masked record.

        Parameters
        ----------
        X, pool
            As in the linker.

        Returns
        -------
        ndarray of int of shape (n_records,)
        """
        return self._fitted.predict(self._original(X), self._transformed_pool(X, pool))

    def kneighbors(self, X: Any, n_neighbors: int = 5, pool: Any = None, **options: Any) -> Any:
        """Rank the masked records nearest to each original record.

        Parameters
        ----------
        X, n_neighbors, pool, **options
            As in the linker.

        Returns
        -------
        distances, rows : ndarray of shape (n_records, n_neighbors)
        """
        fitted, pool = self._fitted, self._transformed_pool(X, pool)
        return fitted.kneighbors(self._original(X), n_neighbors, pool, **options)

    def link(self, X: Any, y: Any, pool: Any = None) -> Links:
        """Link each original record and compare with the truth.

        Parameters
        ----------
        X, y, pool
            As in the linker.

        Returns
        -------
        Links
        """
        return self._fitted.link(*self._transformed(X, y), self._transformed_pool(X, pool))

    def score(self, X: Any, y: Any, sample_weight: Any = None, pool: Any = None) -> float:
        """Share of records re-identified.

        Parameters
        ----------
        X, y, sample_weight, pool
            As in the linker.

        Returns
        -------
        float
        """
        fitted, files = self._fitted, self._transformed(X, y)
        return fitted.score(*files, sample_weight, self._transformed_pool(X, pool))

    @property
    def _fitted(self) -> BaseLinker:
        check_is_fitted(self)
        return self.linker_

    def _original(self, X: Any) -> Any:
        check_exact(X, column_names(X), "original file X", text_is_number=False)
        return self.original_transformer_.transform(X)

    def _masked(self, X: Any, table: Any) -> Any:
        check_exact(table, column_names(table), "masked file y", text_is_number=False)
        return self.masked_transformer_.transform(match_columns(column_names(X), table))

    def _transformed(self, X: Any, y: Any) -> tuple[Any, Any]:
        return self._original(X), self._masked(X, y)

    def _transformed_pool(self, X: Any, pool: Any) -> Any:
        if pool is None:
            return None
        records = self._masked(X, unwrapped(pool))
        return Pool(records) if isinstance(pool, Pool) else records

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags = self.linker.__sklearn_tags__().target_tags
        return tags
