"""Pairs of files written by a test and read."""

from __future__ import annotations

import pytest

from sklearn_reclink.cli._reading import Selection, read_pair


def write(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


@pytest.fixture
def read(tmp_path):
    """Read two texts, by default twice the same, as CSV files."""

    def read_texts(original, masked=None, encoding="utf-8", **options):
        first = write(tmp_path / "o.csv", original, encoding)
        second = write(tmp_path / "m.csv", original if masked is None else masked, encoding)
        return read_pair(first, second, Selection(**options))

    return read_texts
