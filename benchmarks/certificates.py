"""Certificates of the papers' files: kind and size of the proof, seconds to write and to verify.

    python benchmarks/certificates.py                        # all files, seed 0
    python benchmarks/certificates.py --quick                # the three files of exact.py --quick
    python benchmarks/certificates.py --quick --corruptions 1000

Every proven result must verify, links and bound as in the fit. With corruptions, single random
numbers of the certificates are changed: each must be rejected, or leave a claim that is true, which
is one that allows at least the links of the fit. The exit code is 1 if anything fails.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from typing import Any

import numpy as np
from corruption import corrupted
from exact import QUICK_FILES, VARIANTS, warm_up
from fitting import seconds_of_fit
from markdown_table import Table
from papers import FILES, census_parser, load_census, set_defaults
from sklearn.base import clone

from sklearn_reclink import CertificateError, verify_certificate

COLUMNS = (
    ("seed", 4), ("file", 6), ("variant", 7), ("linked", 6), ("bound", 5), ("certified", 9),
    ("proof", 9), ("nodes", 6), ("conflicts", 9), ("gzip kB", 8), ("fit and proof s", 9),
    ("verify s", 8),
)  # fmt: skip


def kind_of(certificate: dict[str, Any]) -> str:
    tree = certificate["proof"]["tree"]
    if any("split" in node for node in tree):
        return "cells"
    return "conflicts" if any("conflicts" in node for node in tree) else "never"


def survivors(
    certificate: dict[str, Any], X: np.ndarray, Y: np.ndarray, n_times: int, rng: Any
) -> tuple[int, list[str]]:
    """How many corrupted certificates still verify, and those that then claim what is false."""
    accepted, wrong = 0, []
    optimum = certificate["n_linked"]
    for _ in range(n_times):
        what, changed = corrupted(certificate, rng)
        try:
            verified = verify_certificate(changed, X, Y)
        except CertificateError:
            continue
        accepted += 1
        if verified.bound < optimum or verified.n_linked > certificate["bound"]:
            wrong.append(what)
    return accepted, wrong


def main() -> int:
    parser = census_parser("Certificates of the papers' files.", quick="seed 0, three files")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--time-limit", type=float, default=120.0, help="of the fits, seconds")
    parser.add_argument("--corruptions", type=int, default=0, help="in all, on the quickest files")
    options = set_defaults(
        parser.parse_args(), n_seeds=1, files=tuple(FILES), quick_files=QUICK_FILES
    )
    census = load_census(options.data_home)
    warm_up(options.variants)
    table, failures, sizes, quickest = Table(COLUMNS), [], [], []
    table.header()
    for seed in options.seeds:
        for file in options.files:
            X, Y = FILES[file].draw(census, seed)
            for variant in options.variants:
                linker = clone(VARIANTS[variant]).set_params(
                    n_jobs=2, random_state=0, time_limit=options.time_limit, certify=True
                )
                seconds = seconds_of_fit(linker, X, Y)
                text = json.dumps(linker.certificate_, separators=(",", ":"))
                certificate = json.loads(text)
                begin = time.perf_counter()
                verified = verify_certificate(certificate, X, Y)
                to_verify = time.perf_counter() - begin
                tree = certificate["proof"]["tree"]
                size = len(gzip.compress(text.encode()))
                sizes.append(size)
                quickest.append((to_verify, certificate, X, Y))
                claims = (verified.n_linked, verified.bound), (linker.n_linked_, linker.bound_)
                if claims[0] != claims[1]:
                    failures.append(f"{file} {variant}: {claims[0]} certified of {claims[1]}")
                n_conflicts = sum(len(node.get("conflicts", [])) for node in tree)
                table.row(
                    [seed, file, variant, linker.n_linked_, linker.bound_, verified.bound,
                     kind_of(certificate), len(tree), n_conflicts, f"{size / 1000:.1f}",
                     f"{seconds:.1f}", f"{to_verify:.1f}"]
                )  # fmt: skip
    print(f"\nMedian size, compressed: {statistics.median(sizes) / 1000:.1f} kB.")
    if options.corruptions:
        rng = np.random.default_rng(0)
        chosen = sorted(quickest, key=lambda one: one[0])[:8]
        accepted, each = 0, -(-options.corruptions // len(chosen))
        for _, certificate, X, Y in chosen:
            harmless, wrong = survivors(certificate, X, Y, each, rng)
            accepted += harmless
            failures += wrong
        n_times = each * len(chosen)
        print(f"{n_times} corruptions: {n_times - accepted} rejected, {accepted} harmless.")
    print(*failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
