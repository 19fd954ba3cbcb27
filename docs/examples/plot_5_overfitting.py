"""
Does the attack generalise?
===========================

An intruder knows some people and looks for the others. A distance with more parameters links the
known people better. If there are few of them, it may link the others worse. `train_test_linkage`
measures both in pools of the same size, so that they can be compared.
"""

# %%
# Fifty people are known; the others are sought among fifty at a time.
import matplotlib.pyplot as plt

from sklearn_reclink import (
    ChoquetLinker,
    DensityLinker,
    EuclideanLinker,
    MahalanobisLinker,
    WeightedMeanLinker,
)
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.inspection import OverfittingCurveDisplay
from sklearn_reclink.masking import AdditiveNoise
from sklearn_reclink.model_selection import train_test_linkage

X = load_diabetes_microdata(as_frame=True).data[["age", "bmi", "bp", "s1", "s2"]]
Y = AdditiveNoise(p=40, random_state=0).set_output(transform="pandas").fit_transform(X)
linkers = {
    "Euclidean": EuclideanLinker(),
    "Mahalanobis": MahalanobisLinker(),
    "weighted mean": WeightedMeanLinker(random_state=0),
    "Choquet": ChoquetLinker(random_state=0, time_limit=2),
    "Choquet, half equal weights": ChoquetLinker(random_state=0, time_limit=2, shrinkage=0.5),
    "densities of the error": DensityLinker(),
}
studies = {
    name: train_test_linkage(linker, X, Y, train_size=50, n_splits=3, random_state=0)
    for name, linker in linkers.items()
}
for name, study in studies.items():
    train, test = study.train_rates.mean(), study.test_rates.mean()
    print(f"{name:28} known {train:6.1%}   others {test:6.1%}   pools of {study.pool_size}")

# %%
# The same as a figure: the gap between the two rates is overfitting.
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
heights = range(len(studies))
train = [study.train_rates.mean() for study in studies.values()]
test = [study.test_rates.mean() for study in studies.values()]
ax.hlines(heights, test, train, color="0.75", linewidth=3, zorder=1)
ax.scatter(train, heights, label="known people")
ax.scatter(test, heights, label="people not seen")
ax.set_yticks(heights, list(studies))
ax.invert_yaxis()
ax.set_xlabel("share re-identified, in pools of 50")
ax.legend()

# %%
# With more known people the gap becomes smaller.
OverfittingCurveDisplay.from_estimator(
    WeightedMeanLinker(random_state=0),
    X,
    Y,
    train_sizes=[20, 50, 100, 200],
    cv=3,
    baseline=EuclideanLinker(),
)
