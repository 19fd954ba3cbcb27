"""Masking a file by the name of a method."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_reclink import masking
from sklearn_reclink.cli import _reading as reading
from sklearn_reclink.cli._reading import FileProblem

if TYPE_CHECKING:
    import pandas as pd

# by name: the class, and its parameter that sets how strongly it masks
METHODS: dict[str, tuple[Callable[..., Any], str]] = {
    "microaggregation": (masking.Microaggregation, "k"),
    "univariate": (masking.UnivariateMicroaggregation, "k"),
    "rank-swapping": (masking.RankSwapping, "p"),
    "noise": (masking.AdditiveNoise, "p"),
    "jpeg": (masking.JPEGMasking, "quality"),
}


def mask_file(path: Path, masker: Any, which: reading.Selection) -> tuple[pd.DataFrame, list[str]]:
    """Mask the columns of a file.

    Parameters
    ----------
    path : Path
        CSV or Parquet file.
    masker : transformer
        Masks a table of numbers.
    which : Selection
        Which columns to mask, and which one holds the ids.

    Returns
    -------
    masked : DataFrame
        The id, if any, and the masked columns.
    left_out : list of str
        The other columns of the file.
    """
    table = reading.read_table(path, which)
    id_column, held = which.id_column, which.variables(table)
    wanted = reading.common_columns([held], [path.name], which.columns)
    masked = masker.set_output(transform="pandas").fit_transform(
        reading.numeric(table[wanted], path.name)
    )
    if id_column is not None:
        masked.insert(0, id_column, table[id_column].to_numpy())
    return masked, [name for name in held if name not in wanted]


def file_content(table: pd.DataFrame, path: Path) -> str | bytes:
    """A table as Parquet or CSV, as the name of a file says; texts harmless to spreadsheets."""
    if path.suffix.lower() in reading.PARQUET:
        return bytes(table.to_parquet(None, index=False))
    from sklearn_reclink.auditing.writing import harmless

    texts = table.select_dtypes(exclude="number").map(harmless)
    return str(table.assign(**texts).rename(columns=harmless).to_csv(index=False))


def build_masker(
    method: str, strength: float | None, groups: str | None, keep_integers: bool, seed: int
) -> Any:
    """The masker of a method with its options; options that it does not have are refused."""
    if method not in METHODS:
        raise FileProblem(f"the method {method!r} is unknown: choose from {', '.join(METHODS)}")
    make, parameter = METHODS[method]
    known = make().get_params()
    options: dict[str, Any] = {}
    if strength is not None:
        whole = isinstance(known[parameter], int)
        if whole and strength != int(strength):
            raise FileProblem(f"the strength of {method} is a whole number, not {strength:g}")
        options[parameter] = int(strength) if whole else strength
    if groups is not None:
        parts = groups.split(";")
        options["groups"] = [[name.strip() for name in part.split(",")] for part in parts]
    if keep_integers:
        options["keep_integers"] = True
    refused = [name for name in options if name not in known]
    if refused:
        raise FileProblem(f"{method} takes no {refused[0].replace('_', '-')}")
    defaults = {"standardize": True, "random_state": seed}
    return make(**options, **{name: defaults[name] for name in defaults if name in known})
