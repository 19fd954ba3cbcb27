"""Links, bound, confidence bound and ceiling against the number of records.

    python benchmarks/any_size.py                    # the table: about 50 minutes
    python benchmarks/any_size.py --masking MDAV     # its quick half
    python benchmarks/any_size.py --masking noise --records 100000 --time-limit 90
    python benchmarks/any_size.py --quick            # 5,000 and 10,000 noisy records, 20 s each

Files of ``make_microdata``: five variables by MDAV in groups of three and two, k = 3, or six
variables with additive noise of 10 %. ``bound`` is proven; ``at 99 %`` is the confidence bound of a
sample of blocks, where there is one; ``ratio`` is bound over links. Each fit runs in a process of
its own, whose peak memory is the last column. ``recount`` is the most that random and local
changes of the parameters found link: no bound may be below it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from markdown_table import Table
from processes import json_of_process, peak_memory

COLUMNS = (
    ("masking", 7),
    ("N", 7),
    ("family", 6),
    ("links", 6),
    ("recount", 7),
    ("bound", 6),
    ("at 99 %", 7),
    ("ceiling", 7),
    ("ratio", 6),
    ("limit", 6),
    ("seconds", 7),
    ("peak MB", 7),
)
FAMILIES = ("d2WM", "OWA", "d2CI")
NOISE = 10.0
# masking: sizes, each with its time limits in seconds
SIZES = {
    "MDAV": {4_000: (15.0,), 10_000: (60.0,), 30_000: (180.0,)},
    "noise": {10_000: (600.0,), 30_000: (600.0,), 100_000: (90.0, 1200.0)},
}
QUICK = {"noise": {5_000: (20.0,), 10_000: (20.0,)}}


def masked_files(masking: str, n_records: int) -> tuple[Any, Any]:
    """An original file and its release."""
    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import AdditiveNoise, Microaggregation

    if masking == "noise":
        X = make_microdata(n_records, 6, random_state=0)
        return X, AdditiveNoise(NOISE, random_state=1).fit_transform(X)
    X = make_microdata(n_records, 5, random_state=0)
    return X, Microaggregation(groups=[[0, 1, 2], [3, 4]], k=3).fit_transform(X)


def fit(case: dict[str, Any]) -> dict[str, Any]:
    """Fit here, after another fit that compiles or loads what is needed."""
    import numpy as np
    from fitting import seconds_of_fit, warm_up_files

    from sklearn_reclink import ChoquetLinker, OWALinker, WeightedMeanLinker

    classes = {"d2WM": WeightedMeanLinker, "OWA": OWALinker, "d2CI": ChoquetLinker}
    linker = classes[case["family"]](
        n_jobs=case["n_jobs"], random_state=case["seed"], time_limit=case["time_limit"]
    )
    seconds_of_fit(linker, *warm_up_files())
    X, Y = masked_files(case["masking"], case["n_records"])
    seconds = seconds_of_fit(linker, X, Y)
    most = linker.n_linked_
    if case["family"] != "d2CI":
        rng, found = np.random.default_rng(case["seed"]), linker.weights_
        for trial in range(case["trials"]):
            linker.weights_ = found * rng.lognormal(sigma=0.5 ** (1 + trial % 6), size=X.shape[1])
            most = max(most, round(linker.score(X, Y) * len(X)))
    return {
        "links": linker.n_linked_,
        "recount": most,
        "bound": linker.bound_,
        "confidence": linker.confidence_bound_,
        "ceiling": linker.ceiling_,
        "seconds": seconds,
        "peak": peak_memory(),
    }


def cases(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What is fitted, a row of the table each."""
    table = QUICK if options.quick else SIZES
    for masking in options.masking or table:
        sizes = table.get(masking, {})
        for size in options.records or sizes:
            for family in options.families:
                for limit in options.time_limit or sizes.get(size, (90.0,)):
                    yield {
                        "masking": masking, "n_records": size, "family": family,
                        "time_limit": limit, "trials": options.trials, "seed": options.seed,
                        "n_jobs": options.n_jobs,
                    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Links and bounds against N.")
    parser.add_argument("--quick", action="store_true", help="small noisy files, 20 s per fit")
    parser.add_argument("--masking", nargs="+", choices=list(SIZES))
    parser.add_argument("--records", type=int, nargs="+")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=["d2WM"])
    parser.add_argument("--time-limit", type=float, nargs="+", help="seconds per fit")
    parser.add_argument("--trials", type=int, default=30, help="parameters recounted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(fit(json.loads(options.case))))
        return
    print(f"make_microdata, n_jobs={options.n_jobs}.\n")
    table = Table(COLUMNS)
    table.header()
    wrong = 0
    for case in cases(options):
        found = json_of_process(__file__, "--case", json.dumps(case))
        wrong += found["recount"] > found["bound"]
        table.row(
            (
                case["masking"],
                case["n_records"],
                case["family"],
                found["links"],
                found["recount"],
                found["bound"],
                "" if found["confidence"] is None else found["confidence"],
                found["ceiling"],
                f"{found['bound'] / found['links']:.3f}",
                f"{case['time_limit']:g}",
                f"{found['seconds']:.0f}",
                f"{found['peak']:.0f}",
            )
        )
    if wrong:
        raise SystemExit(f"{wrong} bounds are below a recount")


if __name__ == "__main__":
    main()
