"""Numbers on the command line: shares, seconds, seeds and workers, refused in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import typer

_FEWEST_SECONDS = 0.1
_Number = TypeVar("_Number", int, float)


def share(text: str) -> float:
    """A share from 0 to 1.

    Examples
    --------
    >>> from sklearn_reclink.cli._numbers import share
    >>> share("0.05")
    0.05
    """
    value = _read(float, text)
    if value is not None and 0 <= value <= 1:
        return value
    percent = _read(float, text.removesuffix("%"))
    remedy = ", such as 0.05"
    if percent is not None and 1 < percent <= 100:
        remedy = f": write {percent / 100:g} for {percent:g} %"
    raise typer.BadParameter(f"{text} is not a share from 0 to 1{remedy}")


def share_above_zero(text: str) -> float:
    """A share above 0, up to 1."""
    value = share(text)
    if value == 0:
        raise typer.BadParameter("0 can never be met: give a share above 0, such as 0.05")
    return value


def seconds(text: str) -> float:
    """A time limit."""
    value = _read(float, text)
    if value is None or not _FEWEST_SECONDS <= value <= sys.float_info.max:
        raise typer.BadParameter(f"{text} is not a number of seconds of at least {_FEWEST_SECONDS}")
    return value


def seed(text: str) -> int:
    """A seed of random choices."""
    value = _read(int, text)
    if value is None or not 0 <= value < 2**32:
        raise typer.BadParameter(f"{text} is not a whole number from 0 to {2**32 - 1}")
    return value


def workers(text: str) -> int:
    """A number of parallel workers as joblib takes it: -1 is one for each processor."""
    value = _read(int, text)
    if value is None or value == 0:
        raise typer.BadParameter(
            f"{text} is not a number of workers: give 1 or more, or -1 for all processors"
        )
    return value


def _read(kind: Callable[[str], _Number], text: str) -> _Number | None:
    """The number that a text holds, None if it holds none."""
    try:
        return kind(text)
    except ValueError:
        return None
