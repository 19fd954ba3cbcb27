"""Linking files that are read a part at a time, beside the same files in memory and a bare KD-tree.

    python benchmarks/out_of_core.py                                  # 1,000,000 records
    python benchmarks/out_of_core.py 1000000 10000000
    python benchmarks/out_of_core.py 100000000 --ways shards --questions score --folder /big/disk

Original files come from ``make_microdata`` (n = 6, light tails), a million records at a time, and
are masked by independent noise of a tenth of each variable's standard deviation; they are written
to ``.npy`` files. A Euclidean linker, fitted on the first 400 records, links the whole files, with
the masked file as the pool. ``memory`` loads the arrays first; ``shards`` hands over `Shards`; the
``bare`` tree is a ``scipy.spatial.cKDTree`` of standardised points and a query of the two nearest.

One table. Every row is a process of its own on one worker, without compilation. ``us`` are
processor microseconds per record, files read and trees built included; ``x`` divides them by those
of ``memory`` at the first number of records, or of the first row if that was not asked for. ``GB``
is the peak of the resident memory of the process, mapped files included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from sklearn_reclink import EuclideanLinker, Shards
from sklearn_reclink.datasets import make_microdata

N_FEATURES, N_TRAIN, NOISE, PART = 6, 400, 0.1, 10**6
WAYS = ("memory", "shards", "bare")


def write_files(folder: Path, n_records: int) -> None:
    paths = files(folder, n_records)
    if all(path.exists() for path in paths):
        return
    shape, rng = (n_records, N_FEATURES), np.random.default_rng(1)
    X, Y = (np.lib.format.open_memmap(path, "w+", shape=shape) for path in paths)
    for start in range(0, n_records, PART):
        n_part = min(PART, n_records - start)
        part = make_microdata(n_part, N_FEATURES, random_state=start // PART).astype(float)
        X[start : start + n_part] = part
        Y[start : start + n_part] = part + NOISE * part.std(axis=0) * rng.normal(size=part.shape)


def files(folder: Path, n_records: int) -> tuple[Path, Path]:
    return folder / f"original-{n_records}.npy", folder / f"masked-{n_records}.npy"


def measure(folder: Path, n_records: int, way: str, question: str) -> dict[str, float]:
    X, Y = (Shards(path, folder=folder) for path in files(folder, n_records))
    known, few = np.arange(N_TRAIN), np.arange(3000)
    linker = EuclideanLinker(n_jobs=1).fit(X.take(known), Y.take(known))

    def ask(a: object, b: object) -> float:
        if question == "score":
            return linker.score(a, b)
        return float(np.mean(linker.predict(a, pool=b) == np.arange(n_records)[: len(a)]))

    small = X.take(few), Y.take(few)
    ask(*small), ask(*map(Shards, small))  # compiles
    cpu, wall = time.process_time(), time.perf_counter()
    if way == "shards":
        rate = ask(X, Y)
    else:
        a, b = (np.load(path) for path in files(folder, n_records))
        if way == "memory":
            rate = ask(a, b)
        else:
            a, b = linker.scales_.original(a), linker.scales_.masked(b)
            _, rows = cKDTree(b).query(a, k=2)
            rate = float(np.mean(rows[:, 0] == np.arange(n_records)))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"rate": rate, "cpu": cpu, "wall": wall, "peak": peak}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_records", type=int, nargs="*", default=[10**6])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--questions", nargs="+", default=["score", "predict"])
    parser.add_argument("--folder", type=Path, help="for the files and working copies")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one = options.n_records[0], options.ways[0], options.questions[0]
        print(json.dumps(measure(options.folder, *one)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        base: dict[str, float] = {}
        row = "{:<8} {:<8} {:>12} {:>7} {:>9} {:>9} {:>7} {:>6} {:>6}"
        print(row.format("question", "way", "N", "rate", "cpu s", "wall s", "us", "x", "GB"))
        for n_records in options.n_records:
            write_files(folder, n_records)
            for question in options.questions:
                for way in options.ways:
                    command = [sys.executable, __file__, str(n_records), "--one", "--ways", way]
                    command += ["--questions", question, "--folder", str(folder)]
                    done = subprocess.run(command, capture_output=True, text=True)
                    if done.returncode:
                        print(f"{question:<8} {way:<8} {n_records:>12,} failed, {done.returncode}")
                        continue
                    found = json.loads(done.stdout)
                    each = found["cpu"] / n_records * 1e6
                    base.setdefault(question, each)
                    numbers = f"{found['cpu']:,.1f}", f"{found['wall']:,.1f}", f"{each:.1f}"
                    ratios = f"{each / base[question]:.2f}", f"{found['peak']:.2f}"
                    rate = f"{found['rate']:.4f}"
                    cells = question, way, f"{n_records:,}", rate, *numbers, *ratios
                    print(row.format(*cells), flush=True)


if __name__ == "__main__":
    main()
