"""Masking a file by the name of a method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_reclink.cli._reading import FileProblem, numeric, read_table
from sklearn_reclink.masking import (
    AdditiveNoise,
    JPEGMasking,
    Microaggregation,
    RankSwapping,
    UnivariateMicroaggregation,
)

if TYPE_CHECKING:
    import pandas as pd

METHODS: dict[str, tuple[Callable[..., Any], str]] = {
    "microaggregation": (Microaggregation, "k"),
    "univariate": (UnivariateMicroaggregation, "k"),
    "rank-swapping": (RankSwapping, "p"),
    "noise": (AdditiveNoise, "p"),
    "jpeg": (JPEGMasking, "quality"),
}
_WHOLE = ("k", "quality")


def mask_file(
    path: Path,
    *,
    method: str,
    strength: float | None = None,
    groups: Sequence[Sequence[str]] | None = None,
    keep_integers: bool = False,
    id_column: str | None = None,
    columns: Sequence[str] | None = None,
    decimal: str = ".",
    seed: int = 0,
) -> tuple[pd.DataFrame, list[str]]:
    """Mask the columns of a file.

    Parameters
    ----------
    path : Path
        CSV or Parquet file.
    method : str
        A name of `METHODS`.
    strength : float or None, default=None
        The parameter of the method that sets how strongly it masks.
    groups : sequence of sequence of str or None, default=None
        Variables microaggregated together.
    keep_integers : bool, default=False
        Whether whole numbers stay whole.
    id_column : str or None, default=None
        Column kept as it is.
    columns : sequence of str or None, default=None
        Columns to mask, by default all except the id.
    decimal : str, default="."
        Decimal separator of a CSV file.
    seed : int, default=0
        Seed of random methods.

    Returns
    -------
    masked : DataFrame
        The id, if any, and the masked columns.
    left_out : list of str
        The other columns of the file.
    """
    table = read_table(path, id_column, decimal)
    held = [name for name in table.columns if name != id_column]
    wanted = held if columns is None else list(dict.fromkeys(columns))
    lacking = [name for name in wanted if name not in held]
    if lacking:
        raise FileProblem(f"{path.name} has no column {lacking[0]!r}")
    masker = build_masker(method, strength, groups, keep_integers, seed)
    masked = masker.set_output(transform="pandas").fit_transform(numeric(table[wanted], path.name))
    if id_column is not None:
        masked.insert(0, id_column, table[id_column].to_numpy())
    return masked, [name for name in held if name not in wanted]


def build_masker(
    method: str,
    strength: float | None,
    groups: Sequence[Sequence[str]] | None,
    keep_integers: bool,
    seed: int,
) -> Any:
    """The masker of a method with its options; options that it does not have are refused."""
    if method not in METHODS:
        raise FileProblem(f"the method {method!r} is unknown: choose from {', '.join(METHODS)}")
    make, parameter = METHODS[method]
    known = make().get_params()
    options: dict[str, Any] = {}
    if strength is not None:
        if parameter in _WHOLE and strength != int(strength):
            raise FileProblem(f"the strength of {method} is a whole number, not {strength:g}")
        options[parameter] = int(strength) if parameter in _WHOLE else strength
    if groups is not None:
        options["groups"] = [[name.strip() for name in group] for group in groups]
    if keep_integers:
        options["keep_integers"] = True
    if method == "microaggregation":
        options["standardize"] = True
    refused = [name for name in options if name not in known]
    if refused:
        raise FileProblem(f"{method} takes no {refused[0].replace('_', '-')}")
    if "random_state" in known:
        options["random_state"] = seed
    return make(**options)
