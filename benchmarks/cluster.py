"""How long linking takes on a Dask cluster of one machine, beside threads, and what is sent.

    python benchmarks/cluster.py            # 100,000, 300,000 and 1,000,000 records
    python benchmarks/cluster.py --quick    # 100,000 and 300,000 records

Files and linkers of ``linking.py``, learned on 400 records; ``score`` with the masked file as the
pool. The cluster is a ``LocalCluster`` of two workers of one thread, with compiled code loaded
before. ``threads s`` and ``dask s`` are wall seconds of one run each, the tree included; ``tree s``
are the processor seconds of building it in the process that asks, and ``workers s`` those of both
workers together: unlike wall seconds they hardly depend on other work on the machine. ``/core s``
are the records that a core of the workers links per second of its time; ``bytes`` are sent to each
worker per record; ``worker MB`` is the largest peak of a worker so far.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from joblib import parallel_config
from linking import N_TRAIN, WORKERS, files, learn
from processes import peak_memory

SIZES = (100_000, 300_000, 1_000_000)
DISTANCES = ("weighted mean", "bilinear, psd", "OWA", "Choquet")


def seconds_of_score(linker: Any, X: np.ndarray, Y: np.ndarray) -> float:
    start = time.perf_counter()
    linker.score(X, Y)
    return time.perf_counter() - start


def planted(linker: Any, X: np.ndarray, Y: np.ndarray) -> tuple[float, int]:
    """Processor seconds of building the tree, and the bytes sent to a worker.

    No public name counts the bytes: this is the only use of internals in the benchmarks.
    """
    from sklearn_reclink.search.batches import Task

    index = linker._read(X, None, Y)
    start = time.process_time()
    search = linker._search(index)
    seconds = time.process_time() - start
    task = Task(search, "linked", {}, search.order)
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(task, protocol=5, buffer_callback=arrays.append)
    return seconds, len(rest) + sum(array.raw().nbytes for array in arrays)


def measure(client: Client, linkers: dict[str, Any], sizes: tuple[int, ...]) -> None:
    line = "{:<15}{:>10}{:>11}{:>8}{:>8}{:>11}{:>10}{:>7}{:>11}"
    heads = ("threads s", "dask s", "tree s", "workers s", "/core s", "bytes", "worker MB")
    print(line.format("distance", "N", *heads))
    for n_records in sizes:
        X, Y = files(n_records)
        for name in DISTANCES:
            tree, sent = planted(linkers[name], X, Y)
            threads = seconds_of_score(linkers[name], X, Y)
            before = sum(client.run(time.process_time).values())
            with parallel_config(backend="dask", client=client):
                dask = seconds_of_score(linkers[name], X, Y)
            workers = sum(client.run(time.process_time).values()) - before
            cells = (
                name,
                f"{n_records:,}",
                f"{threads:.2f}",
                f"{dask:.2f}",
                f"{tree:.2f}",
                f"{workers:.2f}",
                f"{n_records / workers:,.0f}",
                f"{sent / n_records:.0f}",
                f"{max(client.run(peak_memory).values()):,.0f}",
            )
            print(line.format(*cells), flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="300,000 records at most")
    options = parser.parse_args(arguments)
    cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        X, Y = files(30_000)
        linkers = learn(X[:N_TRAIN], Y[:N_TRAIN])
        for name in DISTANCES:  # compiles
            with parallel_config(backend="dask", client=client):
                linkers[name].score(X, Y)
        before = max(client.run(peak_memory).values())
        print(f"a worker before: {before:,.0f} MB")
        measure(client, linkers, SIZES[:2] if options.quick else SIZES)
    print(f"peak memory of the process that asks: {peak_memory():,.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
