"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Original = Annotated[
    Path, typer.Argument(metavar="ORIGINAL", help="The original file, CSV or Parquet.")
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="Column that identifies records in both files; by default the order of rows does.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="COL,...",
        help="Variables to use, by default all but the id; may be repeated.",
    ),
]
Decimal = Annotated[str, typer.Option(help="Decimal sign in CSV files.")]
ReportPath = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write the report as one HTML page."),
]
JsonPath = Annotated[
    Path | None, typer.Option("--json", metavar="FILE.json", help="Write all numbers as JSON.")
]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Seconds for all searches together.")]
FailAbove = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="End with exit code 1 when a larger share of people is found, such as 0.2.",
    ),
]
Attackers = Annotated[
    list[str] | None,
    typer.Option(
        "--attackers",
        metavar="NAME,...",
        help="Attackers to try, by default all: euclidean, mahalanobis, probabilistic, "
        "weighted_mean, choquet, bilinear, hlms, density.",
    ),
]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Number of workers.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every random choice.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress and print nothing but complaints.")
]
