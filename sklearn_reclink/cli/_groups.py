"""Options that belong together, and commands that take them as groups.

A command decorated with `spread` may have a dataclass as a parameter. On the command line each of
its fields is an option of its own, in its place, and the command gets them as one object.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from sklearn_reclink.cli import _options as options


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose groups of options are single options."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        group = parameter.annotation
        if isinstance(group, type) and is_dataclass(group):
            groups[name] = group
            parameters += inspect.signature(group).parameters.values()
        else:
            parameters.append(parameter)
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]

    @wraps(command)
    def run(**values: Any) -> None:
        made = {
            name: group(**{one.name: values.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **made)

    run.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


@dataclass(frozen=True)
class Reading:
    """Which records and variables are read, and how."""

    id_column: options.Id = None
    columns: options.Columns = None
    nominal: options.Nominal = None
    ordinal: options.Ordinal = None
    decimal: options.Decimal = None
    dates: options.Dates = None


@dataclass(frozen=True)
class ReadingToMask(Reading):
    """The same for a file that is masked."""

    id_column: options.IdOfRecords = None
    columns: options.ColumnsToMask = None


@dataclass(frozen=True)
class Pages:
    """Where results are written."""

    report: options.ReportPath = None
    json_path: options.JsonPath = None

    @property
    def paths(self) -> dict[str, Path | None]:
        """Where to write, by option."""
        return {"--report": self.report, "--json": self.json_path}


@dataclass(frozen=True)
class Lists:
    """What else an audit writes."""

    records: options.RecordsPath = None
    certificate: options.CertificatePath = None


@dataclass(frozen=True)
class Intruder:
    """What the intruder knows, and whether the rows belong together."""

    known: options.Known = None
    secret: options.Secret = None
    scenarios: options.Scenarios = False
    unaligned: options.Unaligned = False
    holdout: options.Holdout = None


@dataclass(frozen=True)
class Limits:
    """How long to search, and how much risk is accepted."""

    time_limit: options.TimeLimit = 60.0
    fail_above: options.FailAbove = None


@dataclass(frozen=True)
class Attack:
    """Who attacks."""

    trust_order: options.TrustOrder = False
    attackers: options.Attackers = None
    n_jobs: options.Jobs = None


@dataclass(frozen=True)
class Run:
    """What every run takes."""

    seed: options.Seed = 0
    force: options.Force = False
    quiet: options.Quiet = False
