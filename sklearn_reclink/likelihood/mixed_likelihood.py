"""The log-likelihood ratio of a pair of records with categories and missing values.

*Measured* variables are numeric or ordinal; ``z`` are their standardised values or level numbers,
``r`` their ranks. Every variable has a *category*: the level of a nominal one, and of a measured
one whether it is present; missing is a category of all. For a pair with differences ``dz``, ``dr``
and categories ``a``, ``b``::

    s = w_value sum_k log [f_k(dz_k) / f0_k(dz_k)]  +  w_rank sum_k log [g_k(dr_k) / g0_k(dr_k)]
      + w_joint log [N(dz; C) / N(dz; V)]  +  w_category sum_k log [P_k(b_k | a_k) / P_k(b_k)]

The first two are sums over the measured variables present in both records (`error_density`), the
third is over the numeric ones (`joint_errors`), the last over all (`transitions`). Each term is how
much likelier the masked value is for this person than for a person drawn at random: a missing value
adds 0 to the first three and what suppression tells to the last, so records with and without it are
comparable.

*Why ratios.* Given who is who, the masked file has the probability ``prod_i P(b_i | a_i)``. A
constant of each masked record, such as ``P(b)``, cancels in the rules that give every masked record
one original. It does not cancel where the likeliest masked record of one person is asked for: there
a rare ``b`` is worth more than a frequent one of the same ``P(b | a)``, as Bayes' rule says.

*Weights* are those of `pair_likelihood`, learned in the same way from the four views. Categories
have one of their own: where every variable is masked by itself it is near 1.
"""

from dataclasses import dataclass

import numpy as np

from sklearn_reclink.likelihood import pair_likelihood
from sklearn_reclink.likelihood.error_density import ErrorRatio, learn_error_ratio
from sklearn_reclink.likelihood.joint_errors import JointErrors, learn_joint_errors
from sklearn_reclink.likelihood.transitions import Transitions, categories_of, learn_transitions

VIEWS = (*pair_likelihood.VIEWS, "category")


@dataclass(frozen=True)
class MixedLikelihood:
    """The log-likelihood ratio that two records belong to the same person.

    Records hold the values of the measured variables, their ranks, and the categories of all
    variables: (n_records, 2 * n_measured + n_features). NaN is missing.

    Attributes
    ----------
    value_ratios, rank_ratios : list of ErrorRatio
        Ratios of the error of each measured variable.
    joint : JointErrors or None
        None where no variable is numeric.
    numeric : ndarray of int of shape (n_numeric,)
        Which of the measured variables are numeric.
    transitions : list of Transitions
        Ratios of the categories of each variable.
    weights : ndarray of shape (4,)
        Weights of the views, in the order of `VIEWS`.
    """

    value_ratios: list[ErrorRatio]
    rank_ratios: list[ErrorRatio]
    joint: JointErrors | None
    numeric: np.ndarray
    transitions: list[Transitions]
    weights: np.ndarray

    def table(self, original: np.ndarray, masked: np.ndarray) -> np.ndarray:
        """Log-likelihood ratios of all pairs of some records, (n_records, n_masked)."""
        total = np.zeros((len(original), len(masked)))
        n_measured = len(self.value_ratios)
        if self.weights[3] > 0:
            for k, transitions in enumerate(self.transitions, start=2 * n_measured):
                a, b = (categories_of(file[:, k]) for file in (original, masked))
                total += self.weights[3] * transitions.table(a, b)
        add_tabulated = pair_likelihood.lookup(masked)
        for k, logs, step in zip(*self.tables, strict=True):
            a, b = original[:, k], masked[:, k]
            part = np.zeros_like(total)
            add_tabulated(part, np.nan_to_num(a), np.nan_to_num(b), 1 / step, logs)
            part[np.isnan(a)] = 0.0
            part[:, np.isnan(b)] = 0.0
            total += part
        if self.weights[2] > 0 and self.joint is not None:
            files = original[:, self.numeric], masked[:, self.numeric]
            total += self.weights[2] * self.joint.table(*files)
        return total

    @property
    def tables(self) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """As `pair_likelihood.weighted_tables`."""
        ratios = [*self.value_ratios, *self.rank_ratios]
        return pair_likelihood.weighted_tables(ratios, self.weights)


def learn_mixed_likelihood(
    original: np.ndarray,
    masked: np.ndarray,
    numeric: np.ndarray,
    views: tuple[str, ...] = VIEWS,
) -> MixedLikelihood:
    """Learn error ratios, transition frequencies and the weights of the views from aligned pairs.

    Parameters
    ----------
    original, masked : ndarray of shape (n_pairs, 2 * n_measured + n_features)
        The pairs, as `MixedLikelihood` holds records.
    numeric : ndarray of bool of shape (n_measured,)
        Which of the measured variables are numeric; the others are ordinal.
    views : tuple of str
        The views to use, some of `VIEWS`; the others have the weight 0.

    Examples
    --------
    Sex is changed for one person in four, the income is noisy.

    >>> import numpy as np
    >>> from sklearn_reclink.likelihood.mixed_likelihood import learn_mixed_likelihood
    >>> rng = np.random.default_rng(0)
    >>> sex, income = rng.integers(2, size=300), rng.normal(size=300)
    >>> sex_too = np.where(rng.random(300) < 0.25, 1 - sex, sex)
    >>> income_too = income + 0.2 * rng.normal(size=300)
    >>> a, b = (  # values, ranks, sex, whether the income is present
    ...     np.column_stack([z, z.argsort().argsort() / 300, s, np.zeros(300)])
    ...     for z, s in ((income, sex), (income_too, sex_too))
    ... )
    >>> found = learn_mixed_likelihood(a, b, np.array([True]))
    >>> found.weights.round(1)
    array([0. , 0.4, 0.7, 0.9])
    >>> np.exp(found.transitions[0].table(np.array([0]), np.array([0, 1]))).round(1)
    array([[1.5, 0.5]])
    """
    n_measured = len(numeric)
    columns = list(zip(original.T, masked.T, strict=True))
    measured = [learn_error_ratio(a, b) for a, b in columns[: 2 * n_measured]]
    categories = [
        learn_transitions(categories_of(a), categories_of(b)) for a, b in columns[2 * n_measured :]
    ]
    counts = np.count_nonzero(~np.isnan(original - masked)[:, :n_measured], axis=0)
    places = np.flatnonzero(numeric & (counts > 1))
    joint = learn_joint_errors(original[:, places], masked[:, places]) if len(places) else None
    ratios, own = [ratio for ratio, _ in measured], [found for _, found in measured]
    of_joint = [] if joint is None else [joint[1]]
    left_out = [own[:n_measured], own[n_measured:], of_joint, [found for _, found in categories]]
    likelihood = MixedLikelihood(
        ratios[:n_measured],
        ratios[n_measured:],
        None if joint is None else joint[0],
        places,
        [transitions for transitions, _ in categories],
        np.zeros(len(VIEWS)),
    )
    return pair_likelihood.weighed(likelihood, _scores(left_out, views), original, masked)


def _scores(left_out: list[list[np.ndarray]], views: tuple[str, ...]) -> dict[int, np.ndarray]:
    """The sum over the variables of each view that is used and has any."""
    used = [view for view, name in enumerate(VIEWS) if name in views and left_out[view]]
    if not used:
        raise ValueError(
            f'views is {list(views)!r}: these files have no variables for it; name "category" too'
        )
    return {view: np.sum(left_out[view], axis=0) for view in used}
