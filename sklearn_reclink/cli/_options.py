"""The arguments and options of the commands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sklearn_reclink.cli import _numbers as numbers

_Names = list[str] | None


def _columns(which: str) -> Any:
    """An option that names columns."""
    return typer.Option(metavar="COL,...", help=f"{which}; may be repeated.")


Original = Annotated[Path, typer.Argument(help="The original file, CSV, Parquet or Excel.")]
Masked = Annotated[Path, typer.Argument(help="The masked file, CSV, Parquet or Excel.")]
MaskedFiles = Annotated[list[Path], typer.Argument(help="The masked files, CSV, Parquet or Excel.")]
Output = Annotated[
    Path, typer.Argument(help="Where to write the masked file: .csv, .parquet or .xlsx.")
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="Column that identifies records; by default rows are matched by order.",
    ),
]
IdOfRecords = Annotated[
    str | None,
    typer.Option("--id", metavar="COL", help="Column that identifies records, released as it is."),
]
ColumnsToMask = Annotated[
    _Names, _columns("Columns to mask, by default all except the id and those to keep")
]
Columns = Annotated[
    _Names, _columns("Variables to use, by default those of both files except the id")
]
Nominal = Annotated[_Names, _columns("Variables whose numbers are codes of categories")]
Ordinal = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL,...",
        help="Variables with ordered levels; for text, give them: 'education=low<middle<high'.",
    ),
]
Dates = Annotated[
    str | None,
    typer.Option(
        metavar="ORDER",
        help="day-first or month-first, for dates such as 01/02/2024, if the dates do not show it.",
    ),
]
Decimal = Annotated[
    str | None, typer.Option(help="Decimal separator in CSV files, if the numbers do not show it.")
]
ReportPath = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="Write the report as one HTML page.")
]
JsonPath = Annotated[
    Path | None, typer.Option("--json", metavar="FILE.json", help="Write all numbers as JSON.")
]
CertificatePath = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="Write a proof that `reclink verify` can check. This takes a few minutes more.",
    ),
]
RecordsPath = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv", help="Where to list the records at risk; by default next to the report."
    ),
]
IncludeValues = Annotated[
    bool,
    typer.Option(
        "--include-values", help="Include values of the records at risk in the report and the list."
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        parser=numbers.seconds, metavar="SECONDS", help="Seconds for all attackers together."
    ),
]
SearchTime = Annotated[
    float,
    typer.Option(
        parser=numbers.seconds, metavar="SECONDS", help="Seconds for the search and its audits."
    ),
]
FailAbove = Annotated[
    float | None,
    typer.Option(
        parser=numbers.share,
        metavar="SHARE",
        help="Exit with code 1 unless the risk is shown to be at most this share, such as 0.05 for "
        "5 %. Guesses among ties count.",
    ),
]
Unit = Annotated[
    str,
    typer.Option(
        metavar="NOUN", help="What one record describes, such as firms, or child/children."
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column of sampling weights, to estimate how many would be found in the population; "
        "that of the original file if both have it. It is not used to link records.",
    ),
]
Unaligned = Annotated[
    bool,
    typer.Option(
        "--unaligned",
        help="The rows are not meant to belong together, as in synthetic files; see --holdout.",
    ),
]
Holdout = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --unaligned: records of the same population that the release was not made from.",
    ),
]
Secret = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL,...",
        help="Variables that the intruder does not know; the report says how well the release "
        "reveals them. May be repeated.",
    ),
]
Known = Annotated[_Names, _columns("The variables that the intruder knows, by default all")]
Scenarios = Annotated[
    bool,
    typer.Option(
        "--scenarios",
        help="Also try every set of variables that the intruder might know, by weighted means and, "
        "on a few of the sets, by --attackers. This takes at most the time limit once more.",
    ),
]
TrustOrder = Annotated[
    bool,
    typer.Option(
        "--trust-order",
        help="Compare row by row, even if the files look unrelated because of strong masking.",
    ),
]
Attackers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,...",
        help="Attackers to try, by default all: euclidean, mahalanobis, probabilistic, "
        "weighted_mean, choquet, bilinear, hlms, density.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--n-jobs", parser=numbers.workers, metavar="N", help="Number of parallel workers."
    ),
]
Seed = Annotated[
    int, typer.Option(parser=numbers.seed, metavar="N", help="Seed of every random choice.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors and notes.")]
Force = Annotated[
    bool, typer.Option("--force", help="Overwrite existing files, but never one that is read.")
]
Method = Annotated[
    str,
    typer.Option(
        help="microaggregation, univariate, rank-swapping, noise, shuffling, jpeg, pram, "
        "suppression, recoding, top-bottom or rounding."
    ),
]
Strength = Annotated[
    float | None,
    typer.Option(
        help="Records per group (microaggregation, univariate, suppression), percent "
        "(rank-swapping, noise, shuffling), quality from 1 to 100 (jpeg), share kept (pram), "
        "quantile at the top (top-bottom) or base (rounding); by default that of the method."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="Another option of the method, as in Python, its value in JSON; may be repeated.",
    ),
]
Keep = Annotated[_Names, _columns("Columns to release without masking")]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups", metavar="A,B;C,D", help="Variables microaggregated together, by default all."
    ),
]
KeepIntegers = Annotated[bool, typer.Option("--keep-integers", help="Keep whole numbers whole.")]
