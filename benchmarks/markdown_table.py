"""Markdown tables printed row by row, so that a long run shows what is done."""

from __future__ import annotations

from collections.abc import Iterable


class Table:
    """A table of right-aligned columns, each a title and a least width."""

    def __init__(self, columns: Iterable[tuple[str, int]]) -> None:
        self.columns = [(title, max(width, len(title))) for title, width in columns]

    def header(self) -> None:
        self.row(title for title, _ in self.columns)
        self.row("-" * (width - 1) + ":" for _, width in self.columns)

    def row(self, values: Iterable[object]) -> None:
        pairs = zip(values, self.columns, strict=True)
        print(f"| {' | '.join(f'{value!s:>{width}}' for value, (_, width) in pairs)} |", flush=True)
