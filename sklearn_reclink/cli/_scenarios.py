"""Options about what the intruder knows, and the sweep over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli._tables import FileProblem

if TYPE_CHECKING:
    from sklearn_reclink.auditing import Audit
    from sklearn_reclink.cli._reading import FilePair


def known_columns(columns: list[str] | None, known: list[str] | None) -> list[str] | None:
    """The columns to compare: those that the intruder knows, if they are named."""
    if columns and known:
        raise FileProblem("--columns and --known both choose the variables: give one of them")
    return known or columns


def with_scenarios(
    found: Audit, pair: FilePair, secrets: Sequence[str] | None, *, quiet: bool, **options: Any
) -> Audit:
    """The audit with a sweep over the variables that an intruder may know.

    ``options`` are further ones of `scenarios`. Files that were audited are not refused here.
    """
    from sklearn_reclink.auditing import scenarios

    with console.progress_bar(quiet) as progress:
        sweep = scenarios(
            pair.original,
            pair.masked,
            pool=pair.whole,
            secret=secrets,
            aligned="unchecked",
            progress=progress,
            **options,
        )
    return replace(found, scenarios=sweep)
