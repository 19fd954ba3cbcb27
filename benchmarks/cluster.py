"""How long linking takes on a Dask cluster of one machine, beside threads, and what is sent.

    python benchmarks/cluster.py            # 100,000, 300,000 and 1,000,000 records
    python benchmarks/cluster.py --quick    # 100,000 and 300,000 records

Files of ``linking.py``, parameters given; ``score`` with the masked file as the pool. The cluster
is a ``LocalCluster`` of two workers of one thread, compiled code loaded before. ``threads s`` and
``dask s`` are wall seconds of one run each, the tree included; ``tree s`` are processor seconds of
planting it, which the asking process does alone, and ``workers s`` those of both workers together:
unlike wall seconds they hardly depend on what else the machine does. ``/core s`` are the records
that a core of the workers links in a second of its time; ``bytes`` are sent to each worker for a
record; ``worker MB`` is the largest peak of a worker so far.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import sys
import time
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from joblib import parallel_config
from linking import N_FEATURES, WORKERS, files, random_capacity

from sklearn_reclink import search as linking
from sklearn_reclink.families import OWA, Bilinear, Choquet, Distance, WeightedMean
from sklearn_reclink.search.batches import Inquiry
from sklearn_reclink.search.questions import engine_for

SIZES = (100_000, 300_000, 1_000_000)


def families() -> dict[str, tuple[Distance, np.ndarray]]:
    rng = np.random.default_rng(0)
    root = np.eye(N_FEATURES) + rng.normal(scale=0.2, size=(N_FEATURES, N_FEATURES))
    return {
        "weighted mean": (WeightedMean(), rng.dirichlet(np.ones(N_FEATURES))),
        "bilinear, psd": (Bilinear(), Bilinear().pack(root @ root.T)),
        "OWA": (OWA(), rng.dirichlet(np.ones(N_FEATURES))),
        "Choquet": (Choquet(), random_capacity(0)[1:]),
    }


def seconds_of_score(problem: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    linking.linked_mask(*problem, n_jobs=WORKERS)
    return time.perf_counter() - start


def planted(problem: tuple[Any, ...]) -> tuple[float, int]:
    """Processor seconds of planting the tree, and the bytes that a worker is sent."""
    start = time.process_time()
    engine = engine_for(*problem)
    seconds = time.process_time() - start
    inquiry = Inquiry(engine, "linked", {}, engine.order, engine.batch_size)
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(inquiry, protocol=5, buffer_callback=arrays.append)
    return seconds, len(rest) + sum(array.raw().nbytes for array in arrays)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(client: Client, sizes: tuple[int, ...]) -> None:
    line = "{:<15}{:>10}{:>11}{:>8}{:>8}{:>11}{:>10}{:>7}{:>11}"
    heads = ("threads s", "dask s", "tree s", "workers s", "/core s", "bytes", "worker MB")
    print(line.format("distance", "N", *heads))
    for n_records in sizes:
        original, masked = ((A - A.mean(axis=0)) / A.std(axis=0) for A in files(n_records))
        for name, parameters in families().items():
            problem = (*parameters, original, masked)
            tree, sent = planted(problem)
            threads = seconds_of_score(problem)
            before = sum(client.run(time.process_time).values())
            with parallel_config(backend="dask", client=client):
                dask = seconds_of_score(problem)
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
                f"{max(client.run(peak_mb).values()):,.0f}",
            )
            print(line.format(*cells), flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="300,000 records at most")
    options = parser.parse_args(arguments)
    cluster = LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        small = [A[:30_000] / A.std(axis=0) for A in files(30_000)]
        for parameters in families().values():  # compiles
            with parallel_config(backend="dask", client=client):
                linking.linked_mask(*parameters, *small)
        before = max(client.run(peak_mb).values())
        print(f"a worker before: {before:,.0f} MB")
        measure(client, SIZES[:2] if options.quick else SIZES)
    print(f"peak memory of the process that asks: {peak_mb():,.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
