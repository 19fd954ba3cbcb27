"""What is asked of an audit: the files, the search and the words of the report."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sklearn_reclink.auditing._attackers import SizeLimits
from sklearn_reclink.auditing.formatting import Unit

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Given:
    """The files of an audit and what is said of them."""

    X: Any
    y: Any
    pool: Any
    absent: Any
    aligned: bool | str
    holdout: Any
    secret: Any
    told: dict[str, Any]
    ids: Sequence[Any] | None
    sample_weight: Any = None

    def __post_init__(self) -> None:
        if self.aligned not in (True, False, "unchecked"):
            raise ValueError(f'aligned is {self.aligned!r}: it must be True, False or "unchecked"')
        _check_ids(self.ids)
        if not self.aligned and (self.pool is not None or self.absent is not None):
            raise ValueError("pool and absent need aligned files: leave them out, or give holdout")
        if not self.aligned and self.sample_weight is not None:
            raise ValueError("sample_weight needs aligned files, in which people are found")
        if self.aligned and self.holdout is not None:
            raise ValueError(
                "holdout is given, but the files are aligned: give people who are not in the "
                "release as absent, or say aligned=False"
            )


@dataclass(frozen=True, eq=False)
class Words:
    """What the report says of the file."""

    limit: float | None
    masked_name: str
    unit: Unit
    left_out: Sequence[str]

    def __post_init__(self) -> None:
        if self.limit is not None and not 0 <= self.limit <= 1:
            raise ValueError(f"limit is {self.limit}: it must be a share from 0 to 1, such as 0.2")


@dataclass(frozen=True, eq=False)
class Search:
    """Who attacks it and how, and when that began."""

    attackers: Iterable[str] | None
    time_limit: float
    seed: int
    n_jobs: int | None
    size_limits: SizeLimits
    certify: bool
    progress: Progress | None
    begin: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_time_limit(self.time_limit)


def _check_ids(ids: Sequence[Any] | None) -> None:
    """Refuse ids of which two are equal."""
    found: dict[str, int] = {}
    for row, one in enumerate(() if ids is None else ids):
        if found.setdefault(str(one), row) != row:
            raise ValueError(
                f"ids of the rows {found[str(one)]} and {row} are equal: give every record its own "
                "id, or leave ids out"
            )


def check_time_limit(time_limit: float) -> None:
    """Refuse a time limit that is none."""
    if not 0 < time_limit <= sys.float_info.max:
        raise ValueError(f"time_limit is {time_limit}: it must be a number of seconds above 0")
