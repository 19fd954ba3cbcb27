"""Linking on a Dask cluster gives the answers of one process, whatever happens to its workers."""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from joblib._dask import DaskDistributedBackend
from sklearn_reclink.search.all_pairs import AllPairs

from sklearn_reclink import (
    HLMSChoquetLinker,
    MahalanobisLinker,
    WeightedMeanLinker,
    linking,
    presolve,
)
from sklearn_reclink.model_selection import train_test_linkage
from sklearn_reclink.search import all_pairs, questions
from sklearn_reclink.search import tree_search as treed
from sklearn_reclink.search.batches import Engine, ask_all
from sklearn_reclink.solvers.hlms import impostors as hlms_impostors
from tests.linking.test_engines import FAMILIES, answers, assert_same, family_of, files_of

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")

N_WORKERS = 2


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def on_dask(client):
    client.wait_for_workers(N_WORKERS, timeout=60)
    with parallel_config(backend="dask", client=client, wait_for_workers_timeout=60):
        yield client


@pytest.fixture
def many_batches(monkeypatch):
    """Trees, and several batches, for a file of 60 records."""

    def choose(few_pairs=0):
        monkeypatch.setattr(questions, "few_pairs", lambda: few_pairs)
        monkeypatch.setattr(all_pairs, "BATCH_BYTES", 100_000)
        monkeypatch.setattr(treed, "BATCH_SIZE", 16)
        monkeypatch.setattr(treed, "_PAIRS", 3000)

    return choose


@dataclass(frozen=True, eq=False)
class Watched:
    """An engine that is slow, and leaves a file for every batch it begins."""

    engine: Engine
    folder: Path

    @property
    def name(self):
        return self.engine.name

    @property
    def order(self):
        return self.engine.order

    @property
    def batch_size(self):
        return self.engine.batch_size

    def link(self, records):
        (self.folder / f"{records[0]}-{os.getpid()}").touch()
        time.sleep(0.2)
        return self.engine.link(records)

    def begun(self):
        """Pairs of first record and process, of the batches begun so far."""
        return {tuple(map(int, path.name.split("-"))) for path in self.folder.iterdir()}


@dataclass(frozen=True, eq=False)
class Counted(AllPairs):
    """All pairs, counting how often this process sends them away."""

    sent = 0

    def __reduce__(self):
        type(self).sent += 1
        return AllPairs, (self.distance, self.theta, self.original, self.masked)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FAMILIES)
def test_dask_equals_brute_force(on_dask, many_batches, name, seed):
    rng = np.random.default_rng(seed)
    distance, theta = family_of(rng, name)
    original, masked = files_of(rng, 60, 60)
    with parallel_config(backend="sequential"):
        expected = answers(distance, theta, original, masked)
    many_batches()
    assert_same(answers(distance, theta, original, masked), expected)


def test_all_pairs_on_dask(on_dask, many_batches):
    rng = np.random.default_rng(4)
    distance, theta = family_of(rng, "Choquet")
    original, masked = files_of(rng, 60, 45)
    with parallel_config(backend="sequential"):
        expected = answers(distance, theta, original, masked)
    many_batches(few_pairs=np.inf)
    assert_same(answers(distance, theta, original, masked), expected)


def test_methods_of_an_estimator_on_dask(on_dask, many_batches):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (60, 3)).astype(float)
    Y = np.where(rng.random(X.shape) < 0.4, rng.permuted(X, axis=0), X)
    with parallel_config(backend="sequential"):
        linker = MahalanobisLinker().fit(X, Y)

    def found():
        return {
            "rate": linker.score(X, Y),
            "links": linker.predict(X, pool=Y),
            "k": linker.kneighbors(X, 4, pool=Y),
            **vars(linker.link(X, Y)),
        }

    with parallel_config(backend="sequential"):
        expected = found()
    many_batches()
    assert_same(found(), expected)


def test_files_are_sent_to_the_cluster_once(on_dask, many_batches):
    rng = np.random.default_rng(6)
    distance, theta = family_of(rng, "Choquet")
    many_batches()
    engine = Counted(distance, theta, *files_of(rng, 200, 200))
    assert len(engine.order) > 10 * engine.batch_size
    ask_all(engine, "nearest")
    assert Counted.sent == 1


def test_splits_on_dask(on_dask):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(80, 3))
    Y = X + rng.normal(scale=0.5, size=X.shape)
    options = {"train_size": 30, "n_splits": 3, "random_state": 0}
    with parallel_config(backend="sequential"):
        expected = train_test_linkage(MahalanobisLinker(), X, Y, **options)
    assert_same(vars(train_test_linkage(MahalanobisLinker(), X, Y, **options)), vars(expected))


@pytest.mark.parametrize("linker", [HLMSChoquetLinker, WeightedMeanLinker])
def test_learning_stays_in_its_process(on_dask, monkeypatch, linker):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(80, 3))
    Y = X + rng.normal(scale=0.5, size=X.shape)
    monkeypatch.setattr(hlms_impostors, "CHUNK", 10)
    monkeypatch.setattr(presolve, "_CHUNK", 10)
    monkeypatch.setattr(DaskDistributedBackend, "submit", None)
    with parallel_config(backend="sequential"):
        expected = linker(random_state=0).fit(X, Y)
    assert linker(random_state=0).fit(X, Y).n_linked_ == expected.n_linked_


def ready():
    """The process of a worker that has loaded all it needs."""
    import sklearn_reclink.search.tree  # noqa: F401

    return os.getpid()


def link_while_workers_die(engine, client, n_killed):
    """The links, and the batches begun when the workers were killed."""
    workers = sorted(client.run(ready).values())
    before = set()

    def kill():
        while len(begun := engine.begun()) < 4 or {process for _, process in begun} != set(workers):
            time.sleep(0.01)
        for process in workers[:n_killed]:
            psutil.Process(process).kill()
        time.sleep(0.05)
        before.update(engine.begun())

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = ask_all(engine, "link")
    killer.join(timeout=60)
    return linking.Links(*found), before, set(workers[:n_killed])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_killed"), [("Choquet", 1), ("indefinite", N_WORKERS)], ids=["one", "all"]
)
def test_workers_die_while_they_link(on_dask, many_batches, tmp_path, name, n_killed):
    rng = np.random.default_rng(7)
    distance, theta = family_of(rng, name)
    original, masked = files_of(rng, 200, 200)
    expected = AllPairs(distance, theta, original, masked).link(np.arange(200))
    many_batches()
    engine = Watched(questions.engine_for(distance, theta, original, masked), tmp_path)
    found, before, killed = link_while_workers_die(engine, on_dask, n_killed)
    assert_same(vars(found), vars(linking.Links(*expected)))
    after = engine.begun() - before
    assert {process for _, process in before} >= killed
    assert not {process for _, process in after} & killed
    assert {first for first, _ in after} - {first for first, _ in before}
