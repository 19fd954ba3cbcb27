"""
Which masking protects most for what it loses?
==============================================

Stronger masking protects more people and loses more information. In a plot of risk against loss,
some maskings are worse than another one in both respects. The others form the frontier. Choose
among those.
"""

# %%
# Four methods, each at several strengths.
from sklearn_reclink import MahalanobisLinker
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.inspection import RiskUtilityDisplay
from sklearn_reclink.masking import (
    AdditiveNoise,
    Microaggregation,
    RankSwapping,
    UnivariateMicroaggregation,
)

X = load_diabetes_microdata(as_frame=True).data[["age", "bmi", "bp", "s1", "s2", "s3"]]
pairs = [["age", "bmi"], ["bp", "s1"], ["s2", "s3"]]
maskers = {
    **{f"pairs, k = {k}": Microaggregation(groups=pairs, k=k, standardize=True) for k in (3, 10)},
    **{f"all, k = {k}": Microaggregation(k=k, standardize=True) for k in (3, 10)},
    **{f"each, k = {k}": UnivariateMicroaggregation(k=k) for k in (20, 100)},
    **{f"swap {p} %": RankSwapping(p=p, random_state=0) for p in (5, 10, 20)},
    **{f"noise {p} %": AdditiveNoise(p=p, random_state=0) for p in (10, 50, 100)},
}
maskings = {
    name: masker.set_output(transform="pandas").fit_transform(X) for name, masker in maskers.items()
}

# %%
# The attacker is the Mahalanobis distance, which needs no search. The loss is the probabilistic
# information loss of means, variances, covariances, correlations and quantiles.
display = RiskUtilityDisplay.from_estimator(MahalanobisLinker(), X, maskings)

# %%
# The maskings on the frontier:
print([name for name, best in zip(maskings, display.frontier_, strict=True) if best])

# %%
# This was only one attacker. Before a release, use `sklearn_reclink.auditing.compare` to try all
# attackers on the few best maskings.
