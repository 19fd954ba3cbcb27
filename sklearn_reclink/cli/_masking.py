"""Masking a file by the name of a method."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink import masking
from sklearn_reclink.auditing.writing import harmless
from sklearn_reclink.cli import _reading as reading
from sklearn_reclink.cli._reading import FileProblem

if TYPE_CHECKING:
    import pandas as pd

# by name: the class, and its parameter that sets how strongly it masks, if there is one
METHODS: dict[str, tuple[Callable[..., Any], str | None]] = {
    "microaggregation": (masking.Microaggregation, "k"),
    "univariate": (masking.UnivariateMicroaggregation, "k"),
    "rank-swapping": (masking.RankSwapping, "p"),
    "noise": (masking.AdditiveNoise, "p"),
    "shuffling": (masking.DataShuffling, "p"),
    "jpeg": (masking.JPEGMasking, "quality"),
    "pram": (masking.PRAM, "p"),
    "suppression": (masking.LocalSuppression, "k"),
    "recoding": (masking.GlobalRecoding, None),
    "top-bottom": (masking.TopBottomCoding, "top"),
    "rounding": (masking.Rounding, "base"),
}
_WHOLE = 2**53  # below it, a whole float is one whole number
# options with a value for each column, which say what is masked
_BY_COLUMN = ("bands", "mapping", "n_levels", "bottom", "top", "base", "p", "matrix")


class MaskedFile(NamedTuple):
    """A masked table, and the columns of the file that are not masked: released or left out."""

    table: pd.DataFrame
    unmasked: list[str]
    left_out: list[str]

    @property
    def notes(self) -> list[str]:
        """What was not masked, in words."""
        found = []
        if self.unmasked:
            found.append(f"RELEASED UNMASKED, as --keep asks: {', '.join(self.unmasked)}")
        if self.left_out:
            found.append(f"left out because they are not masked: {', '.join(self.left_out)}")
        return found


def mask_file(
    path: Path,
    masker: Any,
    which: reading.Selection,
    keep: Sequence[str] | None = None,
    *,
    only_released: bool = False,
) -> MaskedFile:
    """Mask the columns of a file.

    Parameters
    ----------
    path : Path
        CSV or Parquet file.
    masker : transformer
        One of this package.
    which : Selection
        Which columns to mask, by default those that the options of the masker name, or all; and
        which one holds the ids.
    keep : sequence of str or None, default=None
        Columns to release as they are; the others that are not masked are left out.
    only_released : bool, default=False
        Whether the masker sees only the columns that are released.

    Returns
    -------
    MaskedFile
        With the id, if any, and the columns masked or kept, in the order of the file.
    """
    table = reading.read_table(path, which._replace(columns=None))
    held = which.variables(table)
    kept = list(keep or [])
    wanted = list(which.columns or _named_by_options(masker, held))
    wanted = wanted or [name for name in held if name not in kept]
    for name in [*wanted, *kept]:
        if name not in held:
            raise FileProblem(f"{path.name} lacks the column {name!r}; it has {', '.join(held)}")
    unmasked = [name for name in kept if name not in wanted]
    _read_levels(masker, table)
    released = [name for name in held if name in wanted or name in unmasked]
    seen = table[released if only_released else held]
    try:
        masked = masker.set_params(columns=wanted).fit_transform(seen)
    except ValueError as error:
        raise FileProblem(f"{path.name}: {error}".replace("columns=", "--columns")) from None
    left_out = [name for name in held if name not in released]
    masked = masked[released]
    whole = [name for name in masked if _is_whole(table[name]) and _is_whole(masked[name])]
    masked = masked.astype(dict.fromkeys(whole, "Int64"))  # 1 is written as 1, not as 1.0
    if which.id_column is not None:
        masked.insert(0, which.id_column, table[which.id_column].to_numpy())
    return MaskedFile(masked, unmasked, left_out)


def _is_whole(column: pd.Series) -> bool:
    """Whether a column of floats, perhaps with missing cells, holds whole numbers only."""
    if column.dtype.kind != "f":
        return False
    values = column.dropna()
    return bool(((values % 1 == 0) & (values.abs() < _WHOLE)).all())


def _named_by_options(masker: Any, held: Sequence[str]) -> list[str]:
    """The columns that the options of a masker name, in the order of the file."""
    options = masker.get_params()
    groups = options.get("groups")
    named = [name for group in groups for name in group] if isinstance(groups, list) else []
    for option in _BY_COLUMN:
        value = options.get(option)
        if isinstance(value, Mapping) and set(value) <= set(held):
            named += value
    return [name for name in held if name in named] if set(named) <= set(held) else named


def _read_levels(masker: Any, table: pd.DataFrame) -> None:
    """Read the levels of a mapping, which are texts in JSON, as numbers if the column has such."""
    mapping = masker.get_params().get("mapping")
    for name, levels in (mapping or {}).items():
        if isinstance(levels, Mapping) and table.get(name, table.iloc[:, 0]).dtype.kind in "iuf":
            try:
                mapping[name] = {float(level): new for level, new in levels.items()}
            except ValueError:
                raise FileProblem(
                    f"column {name!r} holds numbers, and mapping names levels that are none"
                ) from None


def file_content(table: pd.DataFrame, path: Path) -> str | bytes:
    """A table as Parquet or CSV, as the name of a file says; texts harmless to spreadsheets."""
    if path.suffix.lower() in reading.PARQUET:
        return bytes(table.to_parquet(None, index=False))
    texts = table.select_dtypes(exclude=["number", "bool", "boolean", "datetime", "datetimetz"])
    safe: dict[str, Any] = {
        str(name): column.astype(object).map(_harmless_cell, na_action="ignore")
        for name, column in texts.items()
    }
    return str(table.assign(**safe).rename(columns=harmless).to_csv(index=False))


def _harmless_cell(cell: Any) -> Any:
    """A text made harmless to spreadsheets; codes of categories that are numbers as they are."""
    return harmless(cell) if isinstance(cell, str) else cell


def build_masker(
    method: str,
    strength: float | None,
    groups: str | None,
    keep_integers: bool,
    seed: int,
    settings: Sequence[str] | None = None,
) -> Any:
    """The masker of a method with its options; options that it does not have are refused."""
    if method not in METHODS:
        raise FileProblem(f"the method {method!r} is unknown: choose from {', '.join(METHODS)}")
    make, parameter = METHODS[method]
    known = make().get_params()
    options = dict(_setting(text) for text in settings or [])
    if strength is not None:
        if parameter is None:
            raise FileProblem(
                f"{method} takes no strength: say how with --option, such as "
                """--option 'bands={"age": 10}'"""
            )
        whole = isinstance(known[parameter], int)
        if whole and strength != int(strength):
            raise FileProblem(f"the strength of {method} is a whole number, not {strength:g}")
        options[parameter] = int(strength) if whole else strength
    if groups is not None:
        parts = groups.split(";")
        options["groups"] = [[name.strip() for name in part.split(",")] for part in parts]
    if keep_integers:
        options["keep_integers"] = True
    refused = [name for name in options if name not in known or name == "columns"]
    if refused:
        may = ", ".join(name for name in known if name not in ("columns", "random_state"))
        name = refused[0] if settings else refused[0].replace("_", "-")
        raise FileProblem(f"{method} takes no {name}; its options are {may}")
    defaults = {"standardize": True, "random_state": seed}
    return make(**{name: defaults[name] for name in defaults if name in known} | options)


def _setting(text: str) -> tuple[str, Any]:
    """The name and the value, JSON or a word, of an option NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not sign:
        raise FileProblem(f"--option {text} has no value: write NAME=VALUE, such as k=5")
    try:
        return name.strip().replace("-", "_"), json.loads(value)
    except json.JSONDecodeError:
        if value[:1] in "[{":
            raise FileProblem(f"the value of --option {name} is not JSON") from None
        return name.strip().replace("-", "_"), value
