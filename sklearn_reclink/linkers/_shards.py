"""Linking files that are read a part at a time: each part becomes coordinates as it is needed.

Parts are validated as whole files are. Whether different values become equal beside their mean, and
whether the least differences underflow, is judged in each part.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.data import reading
from sklearn_reclink.data.reading import column_names
from sklearn_reclink.data.shards import Shards, as_shards

if TYPE_CHECKING:
    from sklearn_reclink.linkers._base import BaseLinker
    from sklearn_reclink.search.shards import ShardIndex


class Coordinates:
    """The coordinates of a file, read anew by every loop over its parts."""

    def __init__(self, shards: Shards, coordinates: Callable[[Any], np.ndarray]) -> None:
        self.shards, self.coordinates = shards, coordinates

    def __iter__(self) -> Iterator[np.ndarray]:
        for start, part in self.shards.parts():
            try:
                yield self.coordinates(part)
            except ValueError as error:
                if start == 0:
                    raise
                raise type(error)(f"{error} (rows are counted from row {start})") from error


def shard_index(linker: "BaseLinker", X: Any, pool: Any, y: Any = None) -> "ShardIndex":
    """Index an original file and either its masked version or a pool."""
    from sklearn_reclink.search.shards import ShardIndex  # compiled code

    if linker.variables_ is not None:
        raise ValueError(
            "files in shards must hold numbers without missing values, and so must the files of "
            "fit: pass files in memory"
        )
    if y is not None and pool is not None:
        raise ValueError("files in shards are linked within y: leave pool out")
    if linker.rule != "nearest" or linker._threshold is not None:
        raise ValueError(
            f"{type(linker).__name__} with rule={linker.rule!r} compares all pairs of records, so "
            'it takes files in memory only: use rule="nearest", or pass some of the records'
        )
    file, name = ("pool", "pool") if y is None else ("masked file", "y")
    given = pool if y is None else y
    original, masked = as_shards(X), as_shards(linker.masked_ if given is None else given)
    if y is not None:
        reading.check_lengths(original, masked)
    names = column_names(X)
    # a record of the other file stands for all: coordinates are made of both
    one = linker.masked_[:1]

    def of_original(part: Any) -> np.ndarray:
        records = reading.read_original(linker, part, reset=False)
        return np.asarray(linker._coordinates(records, one)[0])

    def of_masked(part: Any) -> np.ndarray:
        records = reading.read_masked(linker, part, names, file=file, name=name)
        return np.asarray(linker._coordinates(first, records)[1])

    first = reading.read_original(linker, next(original.parts())[1], reset=False)[:1]
    folders = [shards.folder for shards in (original, masked) if shards.folder is not None]
    return ShardIndex(
        Coordinates(original, of_original),
        Coordinates(masked, of_masked),
        len(original),
        len(masked),
        **linker._work,
        folder=folders[0] if folders else None,
    )
