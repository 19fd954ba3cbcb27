"""The benchmark of the first use: a process of its own measures the checkout it is given."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    from cold_start import OURS, first_use, write_files

    path = str(tmp_path_factory.mktemp("cold_start") / "files.npz")
    write_files(path, n_records=20)
    return first_use(OURS, "EuclideanLinker", path)


def test_every_column_is_measured(row):
    from cold_start import COLUMNS

    assert set(row) == set(COLUMNS)
    assert all(seconds > 0 for seconds in row.values())


def test_another_checkout_adds_its_seconds_and_a_ratio(row):
    from cold_start import COLUMNS, cells

    twice = {column: 2 * seconds for column, seconds in row.items()}
    texts = cells("EuclideanLinker", [row, twice])
    assert len(texts) == len(COLUMNS) + 1
    assert all(text.endswith("(0.50)") for text in texts[1:])


def test_a_folder_without_the_package_is_refused(tmp_path):
    from cold_start import run

    with pytest.raises(RuntimeError, match=r"not in|failed: .*"):
        run(tmp_path, str(tmp_path), "EuclideanLinker", "nowhere.npz")
