"""
A hundred thousand records
==========================

Linking walks a search tree of the masked records, so its time grows little faster than the number
of records, and the answers are those of comparing all pairs.
"""

# %%
# Generated records, disturbed by noise. A file of a few thousand first, so that compiling is not
# part of the times below.
import time

from sklearn_reclink import EuclideanLinker, HLMSChoquetLinker, MahalanobisLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import AdditiveNoise

X = make_microdata(100_000, 6, random_state=0, as_frame=True)
Y = AdditiveNoise(p=10, random_state=0).set_output(transform="pandas").fit_transform(X)
attackers = [
    EuclideanLinker(),
    MahalanobisLinker(),
    HLMSChoquetLinker(max_iter=1, refine=0, random_state=0, time_limit=10),
]
for linker in attackers:
    linker.fit(X[:2000], Y[:2000]).score(X[:2000], Y[:2000])

# %%
# The two attackers that need no search, on the whole file:
for linker in attackers[:2]:
    start = time.perf_counter()
    rate = linker.fit(X, Y).score(X, Y)
    seconds = time.perf_counter() - start
    print(f"{type(linker).__name__}: {rate:.1%} of {len(X):,} records, {seconds:.1f} s")

# %%
# A capacity learnt from ten thousand of them, tried on the whole file. A record is sought among ten
# times as many others there, so fewer are found.
linker = attackers[2].fit(X[:10_000], Y[:10_000])
print(f"known: {linker.n_linked_ / 10_000:.1%} in a pool of 10,000")
start = time.perf_counter()
rate = linker.score(X, Y)
print(f"all: {rate:.1%} in a pool of {len(X):,}, {time.perf_counter() - start:.1f} s")
