"""Files that are read a part at a time: Parquet, and arrays mapped into memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

SHARD_SIZE = 2**20
_PARQUET = (".parquet", ".pq")


class Shards:
    """A file too large for memory, for `score`, `predict` and `link`.

    Row i of an original file and of its masked version belong together, however the files are
    divided. Answers are those of the same files in memory. A linker is fitted on records in memory,
    such as those of `take`.

    Parameters
    ----------
    source : path, sequence of paths, or array of shape (n_records, n_features)
        A Parquet file, several in their order, or a folder of them in the order of their names; a
        ``.npy`` file; or an array, such as `numpy.memmap`. Parquet needs pyarrow.
    columns : sequence of str, default=None
        Columns of the Parquet files to read, by default all.
    shard_size : int, default=2**20
        Most records read at a time.
    folder : path, default=None
        Where coordinates are kept on disk while records are linked, about 200 bytes for each pair
        of records with six variables; by default the folder of temporary files. They are removed
        afterwards. Workers on other machines must see the folder under the same name.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import EuclideanLinker, Shards
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(1000, noise=(0.1, 0.1, 0.1), random_state=0)
    >>> original, masked = Shards(X, shard_size=300), Shards(Y, shard_size=400)
    >>> some = np.arange(0, 1000, 5)
    >>> linker = EuclideanLinker().fit(original.take(some), masked.take(some))
    >>> linker.score(original, masked) == linker.score(X, Y)
    True
    """

    def __init__(
        self,
        source: Any,
        *,
        columns: Sequence[str] | None = None,
        shard_size: int = SHARD_SIZE,
        folder: Any = None,
    ) -> None:
        if shard_size < 1:
            raise ValueError(f"shard_size is {shard_size}: it must be at least 1")
        self.shard_size, self.folder = shard_size, folder
        self._array: Any = None
        self._paths: list[Path] = []
        self.columns: list[str] = []
        if hasattr(source, "shape"):
            self._array = source
        else:
            paths = [source] if isinstance(source, str | Path) else list(source)
            self._paths = [file for path in paths for file in _files(Path(path))]
            if [path.suffix for path in self._paths] == [".npy"]:
                self._array = np.lib.format.open_memmap(self._paths[0], mode="r")
        if self._array is None:
            self._read_schemas(columns)
        elif columns is not None:
            raise ValueError("columns are those of Parquet files: select the columns of an array")
        elif len(self._array.shape) != 2:
            raise ValueError(
                f"the array is {len(self._array.shape)}-dimensional: a file has 2 dimensions, "
                "records and variables"
            )
        else:
            self.shape = tuple(self._array.shape)

    def _read_schemas(self, columns: Sequence[str] | None) -> None:
        n_records = 0
        for path in self._paths:
            file = _parquet(path)
            names = list(file.schema_arrow.names)
            self.columns = list(columns) if columns else self.columns or names
            lacking = [name for name in self.columns if name not in names]
            if lacking:
                raise ValueError(f"{path.name} has no column {lacking[0]!r}: it has {names}")
            n_records += file.metadata.num_rows
        self.shape = n_records, len(self.columns)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError(
            "a file in shards is not read into memory: score, predict and link take it, for "
            'rule="nearest" and distances that a tree can search; for anything else pass '
            "some of its records, such as shards.take(rows)"
        )

    def parts(self) -> Iterator[tuple[int, Any]]:
        """The number of the first record of every part, and the part, a table or array."""
        start = 0
        if self._array is not None:
            for start in range(0, len(self), self.shard_size):
                yield start, self._array[start : start + self.shard_size]
            return
        import pyarrow as pa

        for path in self._paths:
            for batch in _parquet(path).iter_batches(self.shard_size, columns=self.columns):
                if len(batch):
                    yield start, pa.Table.from_batches([batch]).select(self.columns)
                    start += len(batch)

    def take(self, rows: Any) -> Any:
        """Some records, as a table or array in memory.

        Parameters
        ----------
        rows : array-like of int of shape (n_taken,)
            Row numbers, in ascending order.

        Returns
        -------
        ndarray, or pyarrow.Table of Parquet files
        """
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) == 0 or rows[0] < 0 or rows[-1] >= len(self) or (np.diff(rows) < 0).any():
            raise ValueError(
                f"rows must be in ascending order, from 0 to {len(self) - 1}, and at least one"
            )
        if self._array is not None:
            return np.array(self._array[rows])
        import pyarrow as pa

        found = []
        for start, part in self.parts():
            first, last = np.searchsorted(rows, [start, start + len(part)])
            if first < last:
                found.append(part.take(rows[first:last] - start))
        return pa.concat_tables(found)


def as_shards(file: Any) -> Shards:
    """A file in parts; one in memory becomes one, too."""
    if isinstance(file, Shards):
        return file
    return Shards(file if hasattr(file, "shape") else np.asarray(file))


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    found = [path]
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.suffix in _PARQUET)
        if not found:
            raise ValueError(f"the folder {path} has no Parquet files")
    elif path.suffix not in (*_PARQUET, ".npy"):
        raise ValueError(
            f"{path.name} is neither a Parquet file (.parquet, .pq) nor an array (.npy): convert "
            "it, or map it into memory as numpy.memmap"
        )
    return found


def _parquet(path: Path) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
    return pq.ParquetFile(path)
