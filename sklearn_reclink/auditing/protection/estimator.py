"""`MaskingSearch`: a masker that is chosen by the risk of its release."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_reclink._docstrings import fill_in
from sklearn_reclink._sklearn_compat import Interval, fit_context
from sklearn_reclink.auditing._attackers import Setting
from sklearn_reclink.auditing.protection.families import default_families, kinds_of
from sklearn_reclink.auditing.protection.result import risk_of
from sklearn_reclink.auditing.protection.screening import Screen
from sklearn_reclink.auditing.protection.search import Search
from sklearn_reclink.auditing.protection.trials import MaskerFamily, table_of
from sklearn_reclink.masking.columns import Table, frame_of
from sklearn_reclink.masking.docstrings import OF_FIT
from sklearn_reclink.metrics import information_loss


@fill_in(OF_FIT)
@dataclass(eq=False, repr=False)
class MaskingSearch(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Search for the masking of least information loss whose risk is within a target.

    The risk is the larger of two shares of people, over all attackers of `audit`: those singled
    out, and those found on average by guessing among tied records. A masking is *proven* where so
    many records are released alike that no attacker of any kind exceeds the target. Without such a
    proof a masking is chosen only if an audit with every attacker finds no more than
    ``(1 - reserve) * max_risk``.

    Parameters
    ----------
    max_risk : float, default=0.05
        The largest share of people who may be found, above 0.
    maskers : list of MaskerFamily or None, default=None
        What to try; by default microaggregation, rank swapping, noise, data shuffling,
        post-randomisation and suppression, alone and together, as the kinds of the columns allow.
    information_loss : callable or None, default=None
        ``information_loss(X, masked)`` is a number, small if little is lost; by default
        `sklearn_reclink.metrics.information_loss`.
    proven : bool, default=False
        Whether to choose only among maskings that are proven.
    reserve : float, default=0.1
        The share of the target that is kept in reserve where nothing is proven.
    attackers : list of str or None, default=None
        The only attackers that are tried, by default all; see `sklearn_reclink.audit`.
    categorical_features, ordinal_features : array-like or dict, default=None
        Columns of categories and of ordered levels, as in the linkers; by default the types of a
        dataframe decide.
    time_limit : float, default=180.0
        Seconds in all. A quarter, and at most a minute, goes to each audit; more where an attacker
        did not run for lack of time.
    random_state : int, default=0
        The seed of every random choice: of the maskers tried by default, and of attackers.
    n_jobs : int or None, default=None
        Number of joblib workers.
    unit : str, default="people"
        What the records are, such as firms, in the words of the report.
    progress : callable, default=None
        Called with what is being done, the number of steps done and the number of all steps.
    columns : list of str or int, or None, default=None
        The columns to mask; the others are released unchanged, and attackers know them. By default
        all.

    Attributes
    ----------
    masked_ : ndarray or dataframe of shape (n_records, n_features)
        The release. If no masking is within the target, it is one that could not be settled in
        time, or else the one in which an audit finds least.
    feasible_ : bool
        Whether it is within the target. A masking that was not tried by every attacker does
        not count as within it: see ``protection_.unsettled``.
    best_masker_ : transformer
        The masker that makes it.
    risk_ : float
        The largest share of people that any attacker found in it. If time was too short to try
        every attacker on it, more may be found: see ``protection_.chosen.is_lower_bound``.
    bound_ : float
        Proven: no attacker of any kind finds a larger share; 1 if nothing is proven.
    information_loss_ : float
        Its information loss.
    results_ : dict of lists
        All maskings: name, information loss, change of values, risk, bound and what became of each;
        ready for ``pandas.DataFrame``.
    protection_ : Protection
        All that was found, with `to_text`, `to_html` and `to_dict`.
    n_features_in_, feature_names_in_ : int, ndarray of str
        The number of variables and, if `fit` saw a dataframe, their names.

    Notes
    -----
    The risk, the bound and the loss are those of the file given to `fit`. `transform` masks another
    file in the same way, but nothing is known of its risk.

    Examples
    --------
    >>> from sklearn_reclink.auditing import MaskingSearch
    >>> from sklearn_reclink.datasets import make_microdata
    >>> X = make_microdata(200, 4, random_state=0)
    >>> search = MaskingSearch(max_risk=0.1, proven=True, attackers=["euclidean"], time_limit=20)
    >>> Y = search.fit_transform(X)
    >>> search.feasible_, search.bound_ <= 0.1, Y.shape
    (True, True, (200, 4))
    """

    max_risk: float = 0.05
    _: KW_ONLY
    maskers: Sequence[MaskerFamily] | None = None
    information_loss: Callable[[Any, Any], float] | None = None
    proven: bool = False
    reserve: float = 0.1
    attackers: Sequence[str] | None = None
    categorical_features: Any = None
    ordinal_features: Any = None
    time_limit: float = 180.0
    random_state: int = 0
    n_jobs: int | None = None
    unit: str = "people"
    progress: Callable[[str, int, int], None] | None = None
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_risk": [Interval(Real, 0, 1, closed="right")],
        "maskers": [None, list, tuple],
        "information_loss": [None, callable],
        "proven": ["boolean"],
        "reserve": [Interval(Real, 0, 1, closed="left")],
        "attackers": [None, list, tuple],
        "categorical_features": [None, "array-like", str],
        "ordinal_features": [None, "array-like", dict, str],
        "time_limit": [Interval(Real, 0, None, closed="neither")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
        "n_jobs": [None, Integral],
        "unit": [str],
        "progress": [None, callable],
        "columns": [None, "array-like", str],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Search for a masking of a file.

        %(of_fit)s
        """
        X = self._read(X, reset=True)
        table = table_of(X)
        told = self.categorical_features
        codes = [] if told is None else _places(table, told, "categorical_features")
        screen, families = self._screen(X, table, codes), self._families(table, codes)
        search = Search(screen, families, self.proven, self.time_limit, self.unit, self.progress)
        self.protection_ = search.run()
        chosen = self.protection_.chosen
        self.best_masker_, self.feasible_ = chosen.masker, self.protection_.feasible
        self.risk_, self.bound_ = risk_of(chosen), chosen.bound
        self.information_loss_ = chosen.information_loss
        self.masked_ = screen.masked(chosen.masker)
        self.results_ = self.protection_.columns()
        return self

    def _families(self, table: Table, codes: Sequence[int]) -> Sequence[MaskerFamily]:
        """What to try."""
        places = _places(table, self.columns, "columns")
        if self.maskers is not None:
            return self.maskers
        kinds = kinds_of(table, places, codes)
        return default_families(kinds, len(table), self.max_risk, self.random_state)

    def _screen(self, X: Any, table: Table, codes: Sequence[int]) -> Screen:
        """What is known of a masking without an audit."""
        numbers = all(one.kind == "number" for one in table.columns) and not codes
        return Screen(
            X=X,
            max_risk=self.max_risk,
            reserve=self.reserve,
            loss=self.information_loss
            or partial(information_loss, categorical_features=codes or None),
            told={
                "categorical_features": self.categorical_features,
                "ordinal_features": self.ordinal_features,
            },
            setting=Setting(len(table), len(table.columns), self.random_state, self.n_jobs),
            numeric=numbers and not any(one.missing.any() for one in table.columns),
            attackers=self.attackers,
        )

    def _read(self, X: Any, *, reset: bool) -> Any:
        """The file, checked as scikit-learn does; numbers in an array become floats."""
        if frame_of(X) is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return validate_data(
            self, X, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=2, reset=reset
        )

    def transform(self, X: Any) -> Any:
        """Mask a file as the one of `fit` was masked.

        %(another)s

        Returns
        -------
        Y : ndarray or dataframe of shape (n_records, n_features)
            The masked file, in the container of ``X``.
        """
        check_is_fitted(self, "best_masker_")
        return self.best_masker_.transform(self._read(X, reset=False))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Search for a masking of a file, and return the release.

        Parameters
        ----------
        X, y
            As in `fit`.
        **fit_params : dict
            Ignored.

        Returns
        -------
        ndarray or dataframe of shape (n_records, n_features)
            ``masked_``.
        """
        return self.fit(X).masked_


def _places(table: Table, columns: Any, what: str) -> list[int]:
    """The positions of columns given by position, by name or by a mask, all if None."""
    if columns is None:
        return list(range(len(table.columns)))
    given = [columns] if isinstance(columns, str) else list(columns)
    if len(given) == len(table.columns) and all(isinstance(one, bool | np.bool_) for one in given):
        return [int(place) for place in np.flatnonzero(given)]
    names = {one.name: one.place for one in table.columns}
    names |= {one.place: one.place for one in table.columns}
    unknown = [one for one in given if one not in names]
    if unknown:
        known = ", ".join(str(one.name) for one in table.columns)
        raise ValueError(f"{what} names the column {unknown[0]!r}; the columns are {known}")
    return [names[one] for one in given]
