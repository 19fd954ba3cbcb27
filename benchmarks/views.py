"""Which standardisation is the worst case? Proven links of each, and of all at once.

    python benchmarks/views.py                  # five seeds, an hour
    python benchmarks/views.py --seeds 0        # one seed
    python benchmarks/views.py --time-limit 5   # seconds for a search in one view, default 20

400 records of ``make_microdata(tail="heavy")``, business accounts. Masked by raw MDAV in the groups
of M4-33 and M5-38, and by rank swapping (p = 10, the five variables of M5-38). A search in all
three views gets three times the seconds of a search in one.

One table: for each file and learner the records linked (recounted), and the bound behind two dots
where it is larger, in each view and in all of them, and the view that won. Expected: all views link
no fewer than the best one, the bilinear distance no fewer than Mahalanobis, and no bound is below
what any view links. The exit code is 1 if that fails.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from markdown_table import Table
from papers import FILES, N_RECORDS
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import (
    BilinearLinker,
    ChoquetLinker,
    HLMSChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    WeightedMeanLinker,
)
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import RankSwapping

VIEWS = ("separate", "difference", "rank")
LEARNERS = {
    "weighted mean": WeightedMeanLinker,
    "OWA": OWALinker,
    "Choquet": ChoquetLinker,
    "bilinear, psd": BilinearLinker,
    "HLMS": HLMSChoquetLinker,
}
COLUMNS = (
    ("file", 8),
    ("seed", 4),
    ("learner", 13),
    *((view, 10) for view in VIEWS),
    ("all", 8),
    ("winner", 10),
    ("Mahalanobis", 11),
)


def files(seed: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name in ("M4-33", "M5-38"):
        n_features = FILES[name].n_features
        records = make_microdata(N_RECORDS, n_features, tail="heavy", random_state=seed)
        yield name, *FILES[name].mask(records)
    yield "swapped", records, RankSwapping(p=10, random_state=seed).fit_transform(records)


def fitted(learner: type, X: np.ndarray, Y: np.ndarray, views: Any, seconds: float) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner(standardize=views, time_limit=seconds, random_state=0).fit(X, Y)


def figure(linker: Any) -> str:
    open_to = "" if linker.status_ == "optimal" else f"..{linker.bound_}"
    return f"{linker.n_linked_}{open_to}"


def complaints(name: str, single: Sequence[Any], several: Any, plain: int) -> list[str]:
    """One sentence for each expectation that fails."""
    found, most = [], max(one.n_linked_ for one in single)
    if several.n_linked_ < most:
        found.append(f"{name}: {several.n_linked_} in all views, {most} in one")
    if several.bound_ < most:
        found.append(f"{name}: bound {several.bound_}, but {most} linked")
    if isinstance(several, BilinearLinker) and several.n_linked_ < plain:
        found.append(f"{name}: {several.n_linked_} linked, Mahalanobis {plain}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=range(5))
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    options = parser.parse_args(arguments)
    table, failed = Table(COLUMNS), list[str]()
    table.header()
    for seed in options.seeds:
        for file, X, Y in files(seed):
            plain = MahalanobisLinker().fit(X, Y).n_linked_
            for name in options.learners:
                learner, seconds = LEARNERS[name], options.time_limit
                single = [fitted(learner, X, Y, view, seconds) for view in VIEWS]
                several = fitted(learner, X, Y, VIEWS, len(VIEWS) * seconds)
                figures = [figure(one) for one in (*single, several)]
                table.row([file, seed, name, *figures, several.standardize_, plain])
                failed += complaints(f"{file}, seed {seed}, {name}", single, several, plain)
    for sentence in failed:
        print(sentence, file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
