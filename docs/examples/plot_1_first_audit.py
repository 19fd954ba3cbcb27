"""
How many of 442 patients could be found again?
==============================================

A file of patients is masked by microaggregation: patients with similar values are put into groups
of at least five, and every value becomes the mean of its group. `audit` tries several attackers,
from the plain one, which gives all variables the same weight, to those that learn a distance. It
says what they find.
"""

# %%
# Age and body mass are averaged in the same groups, blood pressure and cholesterol in others.
from sklearn_reclink import EuclideanLinker, audit
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.inspection import MarginDisplay
from sklearn_reclink.masking import Microaggregation

patients = load_diabetes_microdata(as_frame=True).data
X = patients[["age", "bmi", "bp", "s1"]]
masker = Microaggregation(groups=[["age", "bmi"], ["bp", "s1"]], k=5, standardize=True)
Y = masker.set_output(transform="pandas").fit_transform(X)

# %%
# The searches share twenty seconds here. `to_html` gives the same as a page with figures.
found = audit(X, Y, time_limit=20)
print(found.to_text())

# %%
# How clear are the links of the plain intruder? People to the right of the line have their own
# masked record nearer than any other; the farther to the right, the clearer the link.
MarginDisplay.from_estimator(EuclideanLinker().fit(X, Y), X, Y)
