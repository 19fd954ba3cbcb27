"""Files in parts: the answers of one index, to the last bit, however the files are cut."""

import numpy as np
import pytest

from sklearn_reclink.search import Index
from sklearn_reclink.search.shards import ShardIndex
from tests import problems

QUESTIONS = ("linked", "link", "nearest")
TREES = [name for name in problems.DISTANCES if name != "indefinite"]


def parts(rng, file):
    """A file cut into parts of random sizes."""
    cuts = np.sort(rng.integers(1, len(file), rng.integers(0, 6)))
    return [part for part in np.split(file, cuts) if len(part)]


def cut_index(rng, original, masked, cell_size=None):
    """An index of files in parts, with small cells."""
    size = int(rng.integers(3, 40)) if cell_size is None else cell_size
    sizes = len(original), len(masked)
    return ShardIndex(parts(rng, original), parts(rng, masked), *sizes, cell_size=size)


def small(search, batch=17, open_cells=3):
    search.batch, search.open_cells = batch, open_cells
    return search


def assert_answers(search, index, distance, questions=QUESTIONS):
    for question in questions:
        expected = index.search(*distance).ask(question)
        for found, right in zip(search.ask(question), expected, strict=True):
            np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", TREES)
def test_cells_give_the_answers_of_one_index(name, seed):
    rng = np.random.default_rng(seed)
    distance = problems.random_distance(rng, name)
    files = problems.tied_files(rng, 90, 90)
    search = small(cut_index(rng, *files).search(*distance))
    assert_answers(search, Index(*files), distance)


@pytest.mark.parametrize("name", TREES)
def test_files_of_different_lengths(name):
    for seed in range(3):
        rng = np.random.default_rng(100 + seed)
        distance = problems.random_distance(rng, name)
        for sizes in ((40, 90), (90, 40)):
            files = problems.tied_files(rng, *sizes)
            questions = QUESTIONS if sizes[0] < sizes[1] else ("nearest",)
            search = small(cut_index(rng, *files).search(*distance))
            assert_answers(search, Index(*files), distance, questions)
