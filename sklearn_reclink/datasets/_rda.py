"""Read a data frame of numbers from an ``.rda`` file, without R.

R's serialization in XDR form, versions 2 and 3, is a tree of items. An item opens with a
32-bit flag: its type in the lowest byte, then one bit each for "has attributes" and "has a
tag". The file is a pairlist of the saved objects; a data frame is a generic vector (its
columns) whose attributes hold the names. All numbers are big-endian.
"""

import bz2
import gzip
import lzma
import struct
from typing import Any, NamedTuple

import numpy as np

_HAS_ATTRIBUTES, _HAS_TAG = 0x200, 0x400
_SYMBOL, _PAIRLIST, _CHARS, _LOGICALS, _INTEGERS, _REALS = 1, 2, 9, 10, 13, 14
_STRINGS, _LIST, _NIL, _REFERENCE = 16, 19, 254, 255
_INTEGER_NA = -(2**31)


def read_data_frame(content: bytes) -> dict[str, np.ndarray]:
    """Read the only object of an ``.rda`` file, a data frame of numeric columns.

    Parameters
    ----------
    content : bytes
        The file, compressed by gzip, bzip2 or xz, or not at all.

    Returns
    -------
    columns : dict of str to ndarray
        The columns in their order; a missing integer is NaN.
    """
    stream = _Stream(_decompress(content))
    header = stream.take(5)
    if header not in (b"RDX2\n", b"RDX3\n") or stream.take(2) != b"X\n":
        raise ValueError(f"not an .rda file in XDR form: it opens with {header!r}.")
    version, _, _ = (stream.integer() for _ in range(3))
    if version == 3:
        stream.take(stream.integer())  # the native encoding
    saved = stream.item()
    if not isinstance(saved, dict) or len(saved) != 1:
        raise ValueError("the .rda file must hold one object, a data frame.")
    (frame,) = saved.values()
    if not isinstance(frame, _Vector) or "names" not in frame.attributes:
        raise ValueError("the .rda file holds an object that is not a data frame.")
    names = frame.attributes["names"].values
    columns = [column.values for column in frame.values]
    if not all(isinstance(column, np.ndarray) for column in columns):
        raise ValueError("the data frame has a column that is not numeric.")
    return dict(zip(names, columns, strict=True))


def _decompress(content: bytes) -> bytes:
    for magic, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if content.startswith(magic):
            return bytes(module.decompress(content))
    return content


class _Vector(NamedTuple):
    """The values of a vector item, and its attributes by name."""

    values: Any
    attributes: dict[str, Any]


class _Stream:
    """A cursor over the bytes, and the symbols that later items may refer to."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0
        self.symbols: list[str] = []

    def take(self, size: int) -> bytes:
        taken = self.content[self.position : self.position + size]
        if size < 0 or len(taken) < size:
            raise ValueError("the .rda file ends in the middle of an item.")
        self.position += size
        return taken

    def integer(self) -> int:
        return int(struct.unpack(">i", self.take(4))[0])

    def item(self) -> Any:
        flags = self.integer()
        kind = flags & 0xFF
        if kind == _NIL:
            return {}
        if kind == _SYMBOL:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == _REFERENCE:
            return self.symbols[(flags >> 8 or self.integer()) - 1]
        if kind == _CHARS:
            length = self.integer()
            return "NA" if length == -1 else self.take(length).decode()
        if kind == _PAIRLIST:
            return self.pairlist(flags)
        values = self.values(kind)
        return _Vector(values, self.item() if flags & _HAS_ATTRIBUTES else {})

    def pairlist(self, flags: int) -> dict[str, Any]:
        if flags & _HAS_ATTRIBUTES:
            self.item()
        tag = self.item() if flags & _HAS_TAG else ""
        head = self.item()
        return {tag: head, **self.item()}

    def values(self, kind: int) -> Any:
        if kind not in (_LOGICALS, _INTEGERS, _REALS, _STRINGS, _LIST):
            raise ValueError(f"the .rda file holds an item of R type {kind}, not read here.")
        length = self.integer()
        if kind == _REALS:
            return np.frombuffer(self.take(8 * length), dtype=">f8").astype(np.float64)
        if kind in (_STRINGS, _LIST):
            return [self.item() for _ in range(length)]
        numbers = np.frombuffer(self.take(4 * length), dtype=">i4")
        return np.where(numbers == _INTEGER_NA, np.nan, numbers.astype(np.float64))
