"""
A hundred thousand records
==========================

With more than 4 million pairs, linking uses a search tree of the masked records. Its time grows
only a little faster than the number of records, and the answers are the same as if all pairs were
compared.
"""

# %%
# The records are generated, and noise is added. A part of them is linked first, so that the times
# below do not include compiling.
import time

import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator

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
    linker.fit(X[:5000], Y[:5000]).score(X[:5000], Y[:5000])

# %%
# The two attackers that need no search, on larger and larger parts of the file. The more records
# a person may be confused with, the lower the rate.
sizes = [10_000, 30_000, 100_000]
figure, (rates, times) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for linker in attackers[:2]:
    name, found, seconds = type(linker).__name__, [], []
    for size in sizes:
        start = time.perf_counter()
        found.append(linker.fit(X[:size], Y[:size]).score(X[:size], Y[:size]))
        seconds.append(time.perf_counter() - start)
    print(f"{name}: {found[-1]:.1%} of {size:,} records, {seconds[-1]:.1f} s")
    rates.semilogx(sizes, found, marker="o", label=name)
    times.loglog(sizes, seconds, marker="o", label=name)
rates.set(xlabel="records", ylabel="share re-identified", ylim=(0, 1))
times.set(xlabel="records", ylabel="seconds to fit and score")
times.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
times.yaxis.set_major_formatter("{x:g}")
for axes in (rates, times):
    axes.minorticks_off()
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
rates.legend()

# %%
# A capacity is learned from ten thousand records and tried on the whole file. There a record is
# sought among ten times as many others, so fewer are found.
linker = attackers[2].fit(X[:10_000], Y[:10_000])
print(f"known: {linker.n_linked_ / 10_000:.1%} in a pool of 10,000")
start = time.perf_counter()
rate = linker.score(X, Y)
print(f"all: {rate:.1%} in a pool of {len(X):,}, {time.perf_counter() - start:.1f} s")
