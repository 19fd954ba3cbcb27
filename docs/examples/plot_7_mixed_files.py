"""
Categories and missing values: what a weak distance hides
=========================================================

A survey release has amounts and categories, and some cells are suppressed. Gower's distance, which
learns nothing, finds few people in it. A learned distance finds most of them, even people from
whom it has not learned.
"""

# %%
# A small survey: two amounts, and three categories, one of them with many levels.
import numpy as np
import pandas as pd

from sklearn_reclink import DensityLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.inspection import LinkageCurveDisplay
from sklearn_reclink.masking import PRAM, AdditiveNoise, LocalSuppression

rng = np.random.default_rng(0)
n_people = 400
region = rng.integers(0, 12, n_people)
X = pd.DataFrame(
    {
        "income": np.exp(rng.normal(10, 0.5, n_people)),
        "rent": np.exp(rng.normal(6, 0.4, n_people)),
        "sex": rng.choice(["f", "m"], n_people),
        "region": [f"region {r}" for r in region],
        "job": rng.choice(["farm", "office", "shop", "school", "clinic", "none"], n_people),
    }
)

# %%
# Categories are changed at random, rare combinations are suppressed, and noise is added to amounts.
categories = ["sex", "region", "job"]
Y = X
for masker in (
    PRAM(p=0.85, columns=categories, random_state=0),
    LocalSuppression(3, columns=categories),
    AdditiveNoise(20.0, columns=["income", "rent"], random_state=0),
):
    Y = masker.fit_transform(Y)
print(Y.isna().mean().round(2))

# %%
# The intruder knows half of the people and looks for the others, among the records of the others.
known, sought = slice(0, 200), slice(200, None)
linkers = {
    "Gower": EuclideanLinker(standardize="gower"),
    "weighted mean": WeightedMeanLinker(time_limit=5, random_state=0),
    "error densities": DensityLinker(random_state=0),
}
for name, linker in linkers.items():
    linker.fit(X[known], Y[known])
    print(f"{name}: {linker.score(X[sought], Y[sought]):.0%} of the people not learned from")

# %%
# How the learned distance treats suppressed cells: the cost of a variable that is missing in
# the release (first column), beside the weights of the variables.
mean = linkers["weighted mean"]
print(dict(zip(X, mean.weights_.round(2).tolist(), strict=True)))
print(dict(zip(X, mean.missing_weights_[:, 0].round(2).tolist(), strict=True)))

# %%
# Now 100 of the people sought are not in the release. An intruder who does not know that links them
# wrongly. The clearer a link has to be, the more often it is right.
present, absent = slice(200, 300), slice(300, None)
LinkageCurveDisplay.from_estimator(mean, X[present], Y[present], absent=X[absent])
