"""What all linkers share: two files in, learned parameters, links and rates out.

A subclass learns its parameters; reading the files, the recount and every question asked later are
here. ``n_linked_`` is counted as `score` counts, never taken from a solver; for distances it is
that of the rule ``"nearest"``, which ``bound_`` bounds. Linkers are dataclasses of their
parameters: Python writes the ``__init__`` that only assigns.

*The pool* is everywhere the whole masked file, the records of ``y`` among its rows. Left out, it is
``y`` itself in `fit`, `score` and `link`, and the pool of `fit` in `predict` and `kneighbors`.
"""

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from sklearn_reclink._interrupts import raise_interrupt_of
from sklearn_reclink._sklearn_compat import StrOptions, fit_context
from sklearn_reclink.data import reading
from sklearn_reclink.data.alignment import alignment_warning
from sklearn_reclink.data.pool import read_n_neighbors
from sklearn_reclink.data.views import GOWER, VIEWS, chosen_views, learn_view
from sklearn_reclink.data.weights import read_weights
from sklearn_reclink.families import Family
from sklearn_reclink.linkers import _view
from sklearn_reclink.linkers._callbacks import CallbackSupportMixin, fit_task, in_tasks
from sklearn_reclink.linkers._docstrings import fill_in
from sklearn_reclink.linkers._metric import MetricMixin
from sklearn_reclink.linkers._shards import shard_index
from sklearn_reclink.linkers._view import View
from sklearn_reclink.search import DistancePairs, Index, Links, Search
from sklearn_reclink.solvers.problem import Solution


@fill_in
@dataclass(kw_only=True, eq=False, repr=False)
class BaseLinker(MetricMixin, CallbackSupportMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all linkers.

    Parameters
    ----------
    %(of_view)s
    %(of_rule)s

    Examples
    --------
    >>> from sklearn_reclink.linkers import BaseLinker, DensityLinker
    >>> assert issubclass(DensityLinker, BaseLinker)
    """

    standardize: str | Sequence[str | None] | None = "separate"
    categorical_features: Any = None
    ordinal_features: Any = None
    rule: str = "nearest"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "standardize": [StrOptions({"separate", "difference", "rank"}), tuple, list, None],
        "categorical_features": ["array-like", None],
        "ordinal_features": ["array-like", dict, None],
        "rule": [StrOptions({"nearest", "density", "balanced", "one_to_one"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    _views: ClassVar[Sequence[str | None]] = VIEWS
    _learns: ClassVar[bool] = False  # parameters of a distance, what missing values cost included
    _has_ceiling: ClassVar[bool] = True  # what no parameters can link is known beforehand
    _most_variables: ClassVar[int] = 100_000
    _for_wide_files: ClassVar[str] = "a part of the columns at a time"
    _threshold: ClassVar[float | None] = None  # distances below which a record is linked at all
    if TYPE_CHECKING:
        standardize_: str | None = field(init=False)
        kinds_: tuple[str, ...] = field(init=False)
        variables_: Any = field(init=False)
        _family: Family = field(init=False)

    @abstractmethod
    def _learn(self, index: Index, *, at_least: int = 0) -> Solution:
        """Set the distance and the attributes that users read, unless ``at_least`` is the limit."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, pool: Any = None, reference: Any = None) -> Self:
        """Learn from an original file and its masked version.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            The original file.
        %(of_masked_files)s

        Returns
        -------
        self
        """
        try:
            if not hasattr(self, "_skl_callbacks"):
                return self._fit(X, y, pool, reference)
            with fit_task(self, X, y):
                return self._fit(X, y, pool, reference, in_tasks)
        except Exception as error:
            raise_interrupt_of(error)
            raise

    def _fit(self, X: Any, y: Any, pool: Any, reference: Any, tasks: Any = iter) -> Self:
        """An error or an interrupt leaves the linker as it was."""
        fitted = copy(self)
        views = fitted._prepare(X, y, pool, reference)
        for view, search in tasks(fitted._in_turn(views)):
            learn_in(view, **search)
        fitted.__dict__.update(vars(_view.best_of(views).linker))
        fitted._conclude(views)
        if getattr(self, "certify", False):
            fitted._certify(X, y, pool, views)
        self.__dict__ = fitted.__dict__
        return self

    def _prepare(self, X: Any, y: Any, pool: Any = None, reference: Any = None) -> list[View]:
        """Read the files, learn how they become coordinates in each view, and index these."""
        for name in ("missing_weights_", "ceiling_"):  # not every fit sets them
            self.__dict__.pop(name, None)
        chosen = chosen_views(self.standardize, self._views)
        files = reading.read_files(self, X, y, pool, reference)
        self.masked_ = files.pool
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        unrelated = alignment_warning(files.original, files.masked, *chosen, kinds=self.kinds_)
        views, refused = list[View](), dict[str | None, ValueError]()
        for standardize in chosen:
            try:
                views.append(self._prepare_view(files, standardize))
            except ValueError as error:
                refused[standardize] = error
        for note in filter(None, [unrelated, *_view.notes_on(refused, views)]):
            warnings.warn(note, UserWarning, stacklevel=5)
        return views

    def _prepare_view(self, files: reading.Files, standardize: str | None) -> View:
        """A view of files that were read, before anything is learned."""
        one = copy(self)
        one.standardize_ = standardize
        one._check_files(files)
        one._learn_scales(files)
        _view.check_width(one)
        return View(one, one._index(files.original, files.everyone))

    def _check_files(self, files: reading.Files) -> None:
        """Refuse files that the parameters do not suit."""

    def _learn_scales(self, files: reading.Files) -> None:
        """Learn how files become coordinates; ranks are those of the whole files."""
        learned = (files.whole, files.pool) if self.standardize_ == "rank" else files[:2]
        names = getattr(self, "feature_names_in_", None)
        is_mixed = self.variables_ is not None or self.standardize_ == GOWER
        mixed = (files.pool, self.kinds_, not self._learns) if is_mixed else None
        self.scales_ = learn_view(*learned, self.standardize_, names, mixed)
        self._informative = self.scales_.informative

    def _in_turn(self, views: list[View]) -> Iterable[tuple[View, dict[str, Any]]]:
        """The views in the order in which they learn, and the options of their searches."""
        return ((view, {}) for view in views)

    @property
    def _theta(self) -> np.ndarray:
        """Parameters of the distance, for the informative variables."""
        return self._family.theta_of(self, self._informative)

    def _coordinates(self, original: np.ndarray, masked: np.ndarray) -> tuple[Any, Any]:
        """Coordinates of both files, of the informative variables."""
        a, b = self.scales_.coordinates(original, masked)
        used = getattr(self.scales_, "used", None)  # of a mixed file
        if used is not None and used.all():
            return a, b  # no copy of wide coordinates
        used = self._informative if used is None else used
        return a[:, used], b[:, used]

    def _index(self, original: np.ndarray, masked: np.ndarray, **options: Any) -> Index:
        if hasattr(self.scales_, "caps"):
            options |= {"caps": self.scales_.caps, "extra": self.scales_.extra}
        return Index(*self._coordinates(original, masked), **options | self._work)

    @property
    def _work(self) -> dict[str, Any]:
        """How work is divided among workers, and whether it is reported."""
        return {"n_jobs": self.n_jobs, "verbose": self.verbose}

    def _search(self, index: Index) -> Search:
        """What answers questions about two files, by the parameters learned."""
        if self.rule != "nearest":  # rules look at all pairs
            return DistancePairs(self._family, self._theta, index.original, index.masked)
        return index.search(self._family, self._theta)

    def _ask(self, question: str, index: Index, **options: Any) -> tuple[np.ndarray, ...]:
        """The answer to a question under the rule: that of the search, or of `rules`."""
        try:
            search = self._search(index)
            if self.rule == "nearest" and self._threshold is None:
                return search.ask(question, **self._work, **options)
            from sklearn_reclink.rules import Rule

            memory = getattr(self, "_memory", None)
            settings = (self.rule, self.temperature_, self._threshold, self._seed)
            rule = Rule(*settings, **self._work, memory=memory)
            return rule.ask(question, search, **options)
        except Exception as error:
            raise_interrupt_of(error)
            raise

    def _learn_temperature(self, index: Index) -> float:
        """The scale that makes distances log-likelihoods, from some of the aligned pairs."""
        if self.rule not in ("density", "balanced"):
            return 1.0
        from sklearn_reclink.rules import Scores, learn_scale

        rng = check_random_state(self.random_state)
        return learn_scale(Scores.of_sample(index, self._family, self._theta, rng))

    def _count(self, index: Index) -> int:
        """How many records of the files of `fit` are re-identified by the nearest record."""
        return int(np.count_nonzero(index.linked(self._family, self._theta)))

    def _conclude(self, views: list[View]) -> None:
        """Set what is known of the parameters learned; warn where a proof is open."""
        self.n_linked_, self.bound_, status = _view.conclude(views)
        self.status_ = status.value
        if hasattr(self, "confidence_bound_"):
            self.confidence_bound_, self.confidence_level_ = _view.confidence(views)
        if all(view.linker._has_ceiling for view in views):
            self.ceiling_ = max(view.index.ceiling for view in views)
        if gap := _view.gap_message(views, getattr(self, "time_limit", None)):
            warnings.warn(gap, ConvergenceWarning, stacklevel=5)

    def predict(self, X: Any, pool: Any = None) -> np.ndarray:
        """Link each original record to a masked record.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_records, n_features)
            Original records. Under every rule but ``"nearest"`` a link depends on all of them.
        pool : array-like or dataframe of shape (n_masked, n_features), default=None
            Masked records to search, by default those of `fit`.

        Returns
        -------
        ndarray of int of shape (n_records,)
            Row in the pool; the lowest one where several are tied, -1 for no link.
        """
        return self._ask("nearest", self._read(X, pool))[0]

    def kneighbors(
        self, X: Any, n_neighbors: int = 5, pool: Any = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Rank the masked records nearest to each original record.

        Parameters
        ----------
        X, pool
            As in `predict`.
        n_neighbors : int, default=5
            Number of masked records to return.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        distances : ndarray of shape (n_records, n_neighbors)
            Squared distances (a bilinear one may be negative), or minus log-likelihoods. The rules
            ``"density"`` and ``"balanced"`` add a price for each masked record.
        rows : ndarray of int of shape (n_records, n_neighbors)
            Rows in the pool, nearest first; `predict` gives the first, except by ``"one_to_one"``.
        """
        index = self._read(X, pool)
        n_neighbors = read_n_neighbors(n_neighbors, index.n_masked)
        distances, rows = self._ask("k_nearest", index, n_neighbors=n_neighbors)
        return (distances, rows) if return_distance else rows

    def link(self, X: Any, y: Any, pool: Any = None) -> Links:
        """Link each original record within a masked file and compare with the truth.

        Parameters
        ----------
        X, y : array-like or dataframe of shape (n_records, n_features)
            Original file and its masked version, aligned.
        pool : array-like, dataframe or Pool of shape (n_masked, n_features), default=None
            The masked records to search, by default ``y``. Links are rows of ``y``, then of the
            rest of the pool in its order.

        Returns
        -------
        Links
        """
        return Links(*self._ask("link", self._read(X, pool, y)))

    def score(self, X: Any, y: Any, sample_weight: Any = None, pool: Any = None) -> float:
        """Share of records re-identified.

        A record counts when its own masked version is strictly nearer than every other record
        of the pool, prices of the rule included; under the rule ``"one_to_one"``, when it has its
        own masked version in every optimal assignment. The smaller the pool, the easier that is.

        Parameters
        ----------
        X, y, pool
            As in `link`.
        sample_weight : array-like of shape (n_records,), default=None
            Weights of the records in the share.

        Returns
        -------
        float
        """
        index = self._read(X, pool, y)
        weights = None if sample_weight is None else read_weights(sample_weight, index.n_records)
        return float(np.average(self._ask("linked", index)[0], weights=weights))

    def _read(self, X: Any, pool: Any, *y: Any) -> Any:
        """Index original records, and a pool or the masked versions, these first in the pool."""
        check_is_fitted(self)
        if reading.in_shards(X, pool, *y):
            return shard_index(self, X, pool, *y)
        return self._index(*reading.read_again(self, X, pool, *y))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        target = tags.target_tags
        target.required = target.two_d_labels = target.multi_output = True
        target.single_output = False
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def learn_in(view: View, *, at_least: int = 0, **search: Any) -> None:
    """Learn in a view, once more if need be; of use are only more links than ``at_least``."""
    linker, n_linked = copy(view.linker), -1
    found = linker._learn(view.index, at_least=at_least, **search)
    if at_least == 0 or found.n_linked > at_least:
        linker.temperature_ = linker._learn_temperature(view.index)
        n_linked = linker._count(view.index)
    view.keep(linker, n_linked, found, view.index.ceiling if linker._has_ceiling else None)
