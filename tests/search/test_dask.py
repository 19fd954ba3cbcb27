"""Linking on a Dask cluster gives the answers of one process, whatever happens to its workers."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from joblib._dask import DaskDistributedBackend

from sklearn_reclink import HLMSChoquetLinker, MahalanobisLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.model_selection import train_test_linkage
from sklearn_reclink.search import DistancePairs, Index, Links, Search
from sklearn_reclink.search.shards import ShardIndex
from sklearn_reclink.search.tree_search import dominated
from tests import problems

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")

N_WORKERS = 2


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def on_dask(client):
    client.wait_for_workers(N_WORKERS, timeout=60)
    with parallel_config(backend="dask", client=client, wait_for_workers_timeout=60):
        yield client


class Watched(Search):
    """A search that is slow, and leaves a file for every batch it begins."""

    def __init__(self, search: Search, folder: Path) -> None:
        self.search, self.folder = search, folder

    shape = property(lambda self: self.search.shape)
    order = property(lambda self: self.search.order)
    batch_size = property(lambda self: self.search.batch_size)

    def link(self, records):
        (self.folder / f"{records[0]}-{os.getpid()}").touch()
        time.sleep(0.2)
        return self.search.link(records)

    def begun(self):
        """Pairs of first record and process, of the batches begun so far."""
        return {tuple(map(int, path.name.split("-"))) for path in self.folder.iterdir()}


class SmallPairs(DistancePairs):
    batch_bytes = 100_000


class Counted(SmallPairs):
    """All pairs, counting how often this process sends them away."""

    sent = 0

    def __reduce__(self):
        type(self).sent += 1
        return SmallPairs, (self.family, self.theta, self.original, self.masked)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", problems.ON_CLUSTER)
def test_dask_equals_brute_force(on_dask, name, seed):
    rng = np.random.default_rng(seed)
    distance = problems.random_distance(rng, name)
    files = problems.tied_files(rng, 60, 60)
    with parallel_config(backend="sequential"):
        expected = problems.answers(Index(*files), *distance)
    problems.assert_same(
        problems.answers(problems.SmallBatches(*files, dense_pairs=0), *distance), expected
    )


def test_all_pairs_on_dask(on_dask):
    rng = np.random.default_rng(4)
    distance = problems.random_distance(rng, "Choquet")
    files = problems.tied_files(rng, 60, 45)
    with parallel_config(backend="sequential"):
        expected = problems.answers(Index(*files), *distance)
    problems.assert_same(problems.answers(problems.SmallBatches(*files), *distance), expected)


def test_cells_are_read_by_the_workers(on_dask):
    rng = np.random.default_rng(6)
    distance = problems.random_distance(rng, "psd")
    files = problems.tied_files(rng, 60, 60)
    halves = ([file[:35], file[35:]] for file in files)
    search = ShardIndex(*halves, 60, 60, cell_size=30).search(*distance)
    search.batch = 16
    expected = vars(Index(*files).link(*distance))
    problems.assert_same(vars(Links(*search.ask("link"))), expected)


class BatchedLinker(MahalanobisLinker):
    """A linker that searches by a tree, in small batches."""

    def _index(self, original, masked):
        return problems.SmallBatches(*self._coordinates(original, masked), dense_pairs=0)


def test_methods_of_an_estimator_on_dask(on_dask):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (60, 3)).astype(float)
    Y = np.where(rng.random(X.shape) < 0.4, rng.permuted(X, axis=0), X)

    def found(linker):
        return {
            "rate": linker.score(X, Y),
            "links": linker.predict(X, pool=Y),
            "k": linker.kneighbors(X, 4, pool=Y),
            **vars(linker.link(X, Y)),
        }

    with parallel_config(backend="sequential"):
        expected = found(MahalanobisLinker().fit(X, Y))
    problems.assert_same(found(BatchedLinker().fit(X, Y)), expected)


def test_files_are_sent_to_the_cluster_once(on_dask):
    rng = np.random.default_rng(6)
    distance = problems.random_distance(rng, "Choquet")
    search = Counted(*distance, *problems.tied_files(rng, 200, 200))
    assert len(search.order) > 10 * search.batch_size
    search.ask("nearest")
    assert Counted.sent == 1


def test_splits_on_dask(on_dask):
    X, Y = make_noisy_files(80, noise=[0.5] * 3, random_state=9)
    options = {"train_size": 30, "n_splits": 3, "random_state": 0}
    with parallel_config(backend="sequential"):
        expected = train_test_linkage(MahalanobisLinker(), X, Y, **options)
    problems.assert_same(
        vars(train_test_linkage(MahalanobisLinker(), X, Y, **options)), vars(expected)
    )


def noisy_pair(n_records):
    return make_noisy_files(n_records, noise=[0.5] * 3, random_state=10)


class TreeHLMS(HLMSChoquetLinker):
    def _index(self, original, masked):
        return Index(*self._coordinates(original, masked), n_jobs=2, dense_pairs=0)


class TreeWeightedMean(WeightedMeanLinker):
    _index = TreeHLMS._index


@pytest.mark.parametrize(
    ("linker", "n_records"),
    [(TreeHLMS(max_iter=2, refine=5), 2500), (TreeWeightedMean(), 80)],  # HLMS: three chunks
    ids=["HLMS", "weighted mean"],
)
def test_learning_stays_in_its_process(on_dask, monkeypatch, linker, n_records):
    files = noisy_pair(n_records)
    monkeypatch.setattr(DaskDistributedBackend, "submit", None)
    linker.set_params(random_state=0)
    with parallel_config(backend="sequential"):
        expected = linker.fit(*files).n_linked_
    assert linker.fit(*files).n_linked_ == expected


def test_dominated_records_are_found_in_this_process(on_dask, monkeypatch):
    index = Index(*noisy_pair(80), n_jobs=2)
    monkeypatch.setattr(DaskDistributedBackend, "submit", None)
    found = dominated(index, chunk=10)
    np.testing.assert_array_equal(found, index.dominated)


def ready():
    """The process of a worker that has loaded all it needs."""
    import sklearn_reclink.search.tree  # noqa: F401

    return os.getpid()


def link_while_workers_die(watched, client, n_killed):
    """The links, and the batches begun when the workers were killed."""
    workers = sorted(client.run(ready).values())
    before = set()

    def kill():
        while len(begun := watched.begun()) < 4 or {each for _, each in begun} != set(workers):
            time.sleep(0.01)
        for process in workers[:n_killed]:
            psutil.Process(process).kill()
        time.sleep(0.05)
        before.update(watched.begun())

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = watched.ask("link")
    killer.join(timeout=60)
    return Links(*found), before, set(workers[:n_killed])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_killed"), [("Choquet", 1), ("indefinite", N_WORKERS)], ids=["one", "all"]
)
def test_workers_die_while_they_link(on_dask, tmp_path, name, n_killed):
    rng = np.random.default_rng(7)
    distance = problems.random_distance(rng, name)
    files = problems.tied_files(rng, 200, 200)
    expected = DistancePairs(*distance, *files).link(np.arange(200))
    search = problems.SmallBatches(*files, dense_pairs=0).search(*distance)
    watched = Watched(search, tmp_path)
    found, before, killed = link_while_workers_die(watched, on_dask, n_killed)
    problems.assert_same(vars(found), vars(Links(*expected)))
    after = watched.begun() - before
    assert {process for _, process in before} >= killed
    assert not {process for _, process in after} & killed
    assert {first for first, _ in after} - {first for first, _ in before}
