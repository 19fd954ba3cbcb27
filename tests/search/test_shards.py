"""Files in parts: the answers of one index, to the last bit, however the files are cut."""

import pickle

import numpy as np
import pytest

from sklearn_reclink.families import WeightedMean
from sklearn_reclink.search import Index
from sklearn_reclink.search.shards import ShardIndex
from tests import problems

QUESTIONS = ("linked", "link", "nearest")


def parts(rng, file):
    """A file cut into parts of random sizes."""
    cuts = np.sort(rng.integers(1, len(file), rng.integers(0, 6)))
    return [part for part in np.split(file, cuts) if len(part)]


def cut_index(rng, original, masked, cell_size=None):
    """An index of files in parts, with small cells."""
    size = int(rng.integers(20, 60)) if cell_size is None else cell_size
    sizes = len(original), len(masked)
    return ShardIndex(parts(rng, original), parts(rng, masked), *sizes, cell_size=size)


def small(search, batch=33, open_cells=3):
    search.batch, search.open_cells = batch, open_cells
    return search


def assert_answers(search, index, distance, questions=QUESTIONS):
    expected_search = index.search(*distance)
    for question in questions:
        expected = expected_search.ask(question)
        for found, right in zip(search.ask(question), expected, strict=True):
            np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", problems.DISTANCES)
def test_cells_give_the_answers_of_one_index(name, seed):
    rng = np.random.default_rng(seed)
    distance = problems.random_distance(rng, name)
    files = problems.tied_files(rng, 90, 90)
    search = small(cut_index(rng, *files).search(*distance))
    assert_answers(search, Index(*files), distance)


@pytest.mark.parametrize("name", problems.DISTANCES)
def test_files_of_different_lengths(name):
    for seed in range(2):
        rng = np.random.default_rng(100 + seed)
        distance = problems.random_distance(rng, name)
        for sizes in ((40, 90), (90, 40)):
            files = problems.tied_files(rng, *sizes)
            questions = QUESTIONS if sizes[0] < sizes[1] else ("nearest",)
            search = small(cut_index(rng, *files).search(*distance))
            assert_answers(search, Index(*files), distance, questions)


def test_many_cells_of_few_records():
    rng = np.random.default_rng(7)
    distance = problems.random_distance(rng, "Choquet")
    files = problems.tied_files(rng, 60, 60)
    search = small(cut_index(rng, *files, cell_size=6).search(*distance))
    assert len(search.counts) > 7
    assert_answers(search, Index(*files), distance)


def test_a_search_is_small_wherever_it_is_sent():
    files = problems.noisy_files(np.random.default_rng(0), 5000, 4)
    sizes = len(files[0]), len(files[1])
    search = ShardIndex([files[0]], [files[1]], *sizes).search(WeightedMean(4), np.ones(4))
    expected = search.ask("linked")[0]
    sent = pickle.dumps(search)
    assert len(sent) < files[0].nbytes
    np.testing.assert_array_equal(pickle.loads(sent).ask("linked")[0], expected)


def test_working_copies_are_removed(tmp_path):
    index = ShardIndex([np.eye(3)], [np.eye(3)], 3, 3, folder=tmp_path)
    search = index.search(WeightedMean(3), np.ones(3))
    assert search.ask("linked")[0].all()
    assert list(tmp_path.iterdir())
    del search
    assert not list(tmp_path.iterdir())


def test_working_copies_are_removed_after_an_error(tmp_path):
    def fails():
        yield np.eye(3)
        raise KeyboardInterrupt

    index = ShardIndex(fails(), [np.eye(3)], 3, 3, folder=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        index.search(WeightedMean(3), np.ones(3))
    assert not list(tmp_path.iterdir())
