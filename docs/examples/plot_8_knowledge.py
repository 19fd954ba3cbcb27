"""
What does the intruder have to know?
====================================

An audit assumes that the intruder knows every variable. How many people are found by someone who
knows only one of them, or two? A sweep over all sets of variables shows what was found and what is
proven.
"""

# %%
# Four variables of 442 patients, masked in two groups.
from sklearn_reclink import scenarios
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.masking import Microaggregation

X = load_diabetes_microdata(as_frame=True).data[["age", "bmi", "bp", "s1"]]
masker = Microaggregation(groups=[["age", "bmi"], ["bp", "s1"]], k=3, standardize=True)
Y = masker.set_output(transform="pandas").fit_transform(X)

# %%
# For every set of variables: the people that a weighted mean singles out, and a proven bound.
found = scenarios(X, Y, attackers=["mahalanobis"], pairs=(5, 50), time_limit=20)
print(found.to_text())

# %%
# The risk against the number of variables known: one point for each set.
found.plot()
