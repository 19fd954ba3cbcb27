"""
Which attacker finds people it has not seen? A grid search
==========================================================

Linkers are scikit-learn estimators, so `GridSearchCV` can choose among constraints, ways to
standardise, rules and shrinkage by what they find in records held out. A fold is a pool of its own:
its rate is that of finding a record among the records of the fold.
"""

# %%
# Rank swapping moves every value a few ranks away; the two files hold the same values.
import warnings

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_reclink import BilinearLinker, WeightedMeanLinker
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.masking import RankSwapping

X = load_diabetes_microdata(as_frame=True).data[["age", "bmi", "bp", "s1"]][:240]
Y = RankSwapping(p=8, random_state=0).set_output(transform="pandas").fit_transform(X)
folds = KFold(2, shuffle=True, random_state=0)

# %%
# A weighted mean: how to standardise, how distances become links, and how far to trust the
# weights learnt.
search = GridSearchCV(
    WeightedMeanLinker(random_state=0, time_limit=2),
    {
        "standardize": ["separate", "rank"],
        "rule": ["nearest", "density", "one_to_one"],
        "shrinkage": [0.0, 0.5],
    },
    cv=folds,
    return_train_score=True,
).fit(X, Y)
columns = ["param_standardize", "param_rule", "param_shrinkage"]
columns += ["mean_train_score", "mean_test_score"]
results = pd.DataFrame(search.cv_results_)[columns].sort_values("mean_test_score", ascending=False)
print(f"pools: {len(X) // 2} records to train, {len(X) // 2} to test")
print(results.round(3).to_string(index=False))

# %%
# In a picture: above the line, more is found of people not seen than of those learnt from.
figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
for rule, rows in results.groupby("param_rule"):
    ax.scatter(rows["mean_train_score"], rows["mean_test_score"], label=rule)
ax.axline((0.9, 0.9), slope=1, color="0.6", linewidth=1)
ax.set(xlabel="found of those learnt from", ylabel="found of those not seen")
ax.legend(title="rule")

# %%
# A bilinear form with one constraint or another. The shorter the time, the farther the search may
# be from the optimum on the training part; what counts here is the test part.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    forms = GridSearchCV(
        BilinearLinker(random_state=0, time_limit=1),
        {"constraint": ["free", "projected", "psd"], "shrinkage": [0.0, 0.5]},
        cv=folds,
        return_train_score=True,
    ).fit(X, Y)
columns = ["param_constraint", "param_shrinkage", "mean_train_score", "mean_test_score"]
print(pd.DataFrame(forms.cv_results_)[columns].round(3).to_string(index=False))
