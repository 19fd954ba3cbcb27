"""Links, bound, confidence bound and ceiling of noisy files, against the number of records.

    python benchmarks/any_size.py            # 10,000, 30,000 and 100,000 records
    python benchmarks/any_size.py --quick    # 5,000 and 10,000 records, 20 s each

Six variables of ``make_microdata`` with additive noise of 10 %. ``bound`` is proven; ``at 99 %`` is
the confidence bound of a sample of blocks, where there is one; ``ratio`` is bound over links. Each
fit runs in a process of its own, whose peak memory is the last column. ``recount`` is the most that
random and local changes of the parameters found link: no bound may be below it.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from markdown_table import Table
from processes import json_of_process, peak_memory

COLUMNS = (
    ("N", 7),
    ("family", 6),
    ("links", 6),
    ("recount", 7),
    ("bound", 6),
    ("at 99 %", 7),
    ("ceiling", 7),
    ("ratio", 6),
    ("seconds", 7),
    ("peak MB", 7),
)
FAMILIES = ("d2WM", "OWA", "d2CI")
NOISE = 10.0


def fit(case: dict[str, Any]) -> dict[str, Any]:
    """Fit here, after another fit that compiles or loads what is needed."""
    import numpy as np
    from fitting import seconds_of_fit, warm_up_files

    from sklearn_reclink import ChoquetLinker, OWALinker, WeightedMeanLinker
    from sklearn_reclink.datasets import make_microdata
    from sklearn_reclink.masking import AdditiveNoise

    classes = {"d2WM": WeightedMeanLinker, "OWA": OWALinker, "d2CI": ChoquetLinker}
    linker = classes[case["family"]](
        n_jobs=case["n_jobs"], random_state=case["seed"], time_limit=case["time_limit"]
    )
    seconds_of_fit(linker, *warm_up_files())
    X = make_microdata(case["n_records"], 6, random_state=0)
    Y = AdditiveNoise(NOISE, random_state=1).fit_transform(X)
    seconds = seconds_of_fit(linker, X, Y)
    most = linker.n_linked_
    if case["family"] != "d2CI":
        rng, found = np.random.default_rng(case["seed"]), linker.weights_
        for trial in range(case["trials"]):
            linker.weights_ = found * rng.lognormal(sigma=0.5 ** (1 + trial % 6), size=6)
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Links and bounds against N.")
    parser.add_argument("--quick", action="store_true", help="small sizes, 20 s per fit")
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
    sizes = options.records or ([5000, 10_000] if options.quick else [10_000, 30_000, 100_000])
    limits = options.time_limit or ([20.0] if options.quick else [90.0, 600.0])
    print(f"make_microdata, 6 variables, {NOISE:g} % noise, n_jobs={options.n_jobs}.\n")
    table = Table(COLUMNS)
    table.header()
    wrong = 0
    for size in sizes:
        for family in options.families:
            for limit in limits:
                case = {"n_records": size, "family": family, "time_limit": limit}
                case |= {key: getattr(options, key) for key in ("trials", "seed", "n_jobs")}
                found = json_of_process(__file__, "--case", json.dumps(case))
                wrong += found["recount"] > found["bound"]
                table.row(
                    (
                        size,
                        family,
                        found["links"],
                        found["recount"],
                        found["bound"],
                        "" if found["confidence"] is None else found["confidence"],
                        found["ceiling"],
                        f"{found['bound'] / found['links']:.3f}",
                        f"{found['seconds']:.0f}",
                        f"{found['peak']:.0f}",
                    )
                )
    if wrong:
        raise SystemExit(f"{wrong} bounds are below a recount")


if __name__ == "__main__":
    main()
