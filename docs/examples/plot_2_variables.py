"""
Which variables, and which pairs of them, give people away?
===========================================================

A learned distance gives weight to what helps to find people. The weights of a weighted mean say
which variables help an intruder. A Choquet integral weighs every set of variables: its Shapley
values say how much a variable counts, its interaction indices how two variables act together.
"""

# %%
# Three variables are averaged in the same groups of at least eight patients, cholesterol by itself.
from sklearn_reclink import ChoquetLinker, WeightedMeanLinker
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.inspection import (
    CapacityLatticeDisplay,
    InteractionDisplay,
    WeightsDisplay,
)
from sklearn_reclink.masking import Microaggregation

X = load_diabetes_microdata(as_frame=True).data[["age", "bmi", "bp", "s1"]]
masker = Microaggregation(groups=[["age", "bmi", "bp"], ["s1"]], k=8, standardize=True)
Y = masker.set_output(transform="pandas").fit_transform(X)

# %%
# The weighted mean that links the most patients, with its proof:
mean = WeightedMeanLinker(random_state=0).fit(X, Y)
print(f"{mean.n_linked_} of {len(X)} linked, proven bound {mean.bound_}: {mean.status_}")
WeightsDisplay.from_estimator(mean)

# %%
# The Choquet integral weighs sets of variables. Its Shapley values share the total weight of 1
# among the variables.
choquet = ChoquetLinker(random_state=0, time_limit=20).fit(X, Y)
print(f"{choquet.n_linked_} linked, proven bound {choquet.bound_}: {choquet.status_}")
WeightsDisplay.from_estimator(choquet)

# %%
# The interactions are off the diagonal: above 0, two variables reveal more together than
# apart; below 0, they repeat each other.
InteractionDisplay.from_estimator(choquet)

# %%
# The whole capacity, as in the figures of the 2012 paper: from the empty set at the bottom to all
# variables at the top. The darker a set, the larger its weight.
CapacityLatticeDisplay.from_estimator(choquet)
