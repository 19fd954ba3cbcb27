"""Masking a file by the name of a method."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink import masking
from sklearn_reclink.auditing.writing import as_written
from sklearn_reclink.cli import _reading as reading
from sklearn_reclink.cli._reading import FileProblem

if TYPE_CHECKING:
    import pandas as pd

_OF_ONE = "a group of one record keeps its values"
_EQUAL = "every record is equal to itself, so no value is removed"
_NO_NOISE = "noise of 0 percent changes nothing"


class Method(NamedTuple):
    """A way of masking: its class, and the parameter that sets how strongly it masks, if any.

    The strength lies between ``low`` and ``high``; at ``weakest``, one of the two, nothing is
    masked, for a reason.
    """

    make: Callable[..., Any]
    parameter: str | None = None
    low: float = 0
    high: float = math.inf
    weakest: float | None = None
    reason: str = ""

    def masks_nothing(self, strength: float) -> bool:
        """Whether a strength is at or beyond the weakest."""
        if self.weakest is None:
            return False
        return strength <= self.low if self.weakest == self.low else strength >= self.high


METHODS = {
    "microaggregation": Method(masking.Microaggregation, "k", 1, math.inf, 1, _OF_ONE),
    "univariate": Method(masking.UnivariateMicroaggregation, "k", 1, math.inf, 1, _OF_ONE),
    "rank-swapping": Method(masking.RankSwapping, "p", 0, 100, 0, "no values are swapped"),
    "noise": Method(masking.AdditiveNoise, "p", 0, math.inf, 0, _NO_NOISE),
    "shuffling": Method(masking.DataShuffling, "p", 0, 100),
    "jpeg": Method(masking.JPEGMasking, "quality", 1, 100),
    "pram": Method(masking.PRAM, "p", 0, 1, 1, "every category is kept"),
    "suppression": Method(masking.LocalSuppression, "k", 1, math.inf, 1, _EQUAL),
    "recoding": Method(masking.GlobalRecoding),
    "top-bottom": Method(masking.TopBottomCoding, "top", 0.5, 1),
    "rounding": Method(masking.Rounding, "base"),
}
_WHOLE = 2**53  # below it, a whole float is one whole number
# options with a value for each column, which say what is masked
_BY_COLUMN = ("bands", "mapping", "n_levels", "bottom", "top", "base", "p", "matrix")


class MaskedFile(NamedTuple):
    """A masked table, and the columns of the file that are not masked: released or left out.

    Of the columns that were to be masked, ``unchanged`` have all their values still. ``doubts`` is
    what the user should check of what was read, and ``cells`` the unmasked columns of text as they
    were read.
    """

    table: pd.DataFrame
    unmasked: list[str]
    left_out: list[str]
    unchanged: list[str]
    doubts: list[str]
    cells: pd.DataFrame

    @property
    def notes(self) -> list[str]:
        """What to check of what was read, and what was not masked, one line for each column."""
        kept = [f"{name} is RELEASED UNMASKED, as --keep asks" for name in self.unmasked]
        same = [
            f"{name} is RELEASED UNCHANGED: the masking changed none of its values"
            for name in self.unchanged
        ]
        out = [
            f"{name} is LEFT OUT of the release, because it is not among the columns to mask: add "
            "it to --groups or --columns to mask it, or to --keep to release it as it is"
            for name in self.left_out
        ]
        return [*self.doubts, *kept, *same, *out]


def mask_file(
    path: Path,
    masker: Any,
    which: reading.Selection,
    keep: Sequence[str] | None = None,
    *,
    searched: bool = False,
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
    searched : bool, default=False
        Whether the masker is a search: it sees only the columns that are released, and may find the
        file safe enough to be released as it is.

    Returns
    -------
    MaskedFile
        With the id, if any, and the columns masked or kept, in the order of the file.
    """
    kept = list(keep or [])
    needed = None if which.columns is None else [*which.columns, *kept]
    table, to_check, cells = reading.read_table(path, which._replace(columns=None), needed)
    held = which.variables(table)
    wanted = list(which.columns or _named_by_options(masker, held))
    wanted = wanted or [name for name in held if name not in kept]
    _check_columns(path, held, wanted, kept)
    _read_levels(masker, table)
    released = [name for name in held if name in wanted or name in kept]
    seen = table[released if searched else held]
    try:
        masked = masker.set_params(columns=wanted).fit_transform(seen)
    except ValueError as error:
        raise FileProblem(f"{path.name}: {error}") from None
    left_out = [name for name in held if name not in released]
    unchanged = _unchanged(table[wanted], masked[wanted], None if searched else path)
    masked = masked[released]
    whole = [name for name in masked if _is_whole(table[name]) and _is_whole(masked[name])]
    masked = masked.astype(dict.fromkeys(whole, "Int64"))  # 1 is written as 1, not as 1.0
    if which.id_column is not None:
        masked.insert(0, which.id_column, table[which.id_column].to_numpy())
    cells = cells[[name for name in kept if name in cells]].apply(_as_written)
    for name in map(str, cells):
        if cells[name].str.fullmatch(r"\s*0\d+\s*").any():  # codes, no numbers in any format
            masked[name] = cells[name].where(masked[name].notna(), None)
    doubts = [note for name, note in to_check.items() if name in (released if searched else wanted)]
    return MaskedFile(masked, list(dict.fromkeys(kept)), left_out, unchanged, doubts, cells)


def _check_columns(
    path: Path, held: Sequence[str], wanted: Sequence[str], kept: Sequence[str]
) -> None:
    """Refuse columns that a file lacks, and those that are to be masked and kept."""
    for name in [*wanted, *kept]:
        if name not in held:
            raise FileProblem(f"{path.name} lacks the column {name!r}; it has {', '.join(held)}")
        if name in wanted and name in kept:
            raise FileProblem(
                f"{name!r} is to be masked and also in --keep: leave it out of --keep, or out of "
                "the columns to mask"
            )


def _as_written(column: pd.Series) -> pd.Series:
    return column.map(as_written)


def _unchanged(table: pd.DataFrame, masked: pd.DataFrame, path: Path | None) -> list[str]:
    """The columns that vary and of which no value changed; all of them of a file are refused."""
    varying = [str(name) for name in table if table[name].nunique(dropna=False) > 1]
    same = []
    for name in varying:
        pair = [one[name].astype(object).where(one[name].notna(), None) for one in (table, masked)]
        if bool((pair[0] == pair[1]).where(pair[0].notna(), pair[1].isna()).all()):
            same.append(name)
    if path is not None and same and len(same) == len(varying):
        raise FileProblem(
            f"{path.name} would be released as it is: with these options no value of any column "
            "changes. Choose a stronger masking"
        )
    return same


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
                    f"column {name!r} holds numbers, but mapping names levels that are not numbers"
                ) from None


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
    way = METHODS[method]
    parameter, known = way.parameter, way.make().get_params()
    options = dict(_setting(text) for text in settings or [])
    if strength is not None:
        if parameter is None:
            raise FileProblem(
                f"{method} takes no strength: say how with --option, such as "
                """--option 'bands={"age": 10}'"""
            )
        whole = isinstance(known[parameter], int)
        if whole and not strength.is_integer():
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
    if strength is not None and options.get("by") != "value":
        _check_range(method, strength)
    given = options.get(parameter) if parameter else None
    if isinstance(given, int | float) and way.masks_nothing(given):
        raise FileProblem(f"{method} with a strength of {given:g} masks nothing: {way.reason}")
    defaults = {"standardize": True, "random_state": seed}
    return way.make(**{name: defaults[name] for name in defaults if name in known} | options)


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


def _check_range(method: str, strength: float) -> None:
    """Refuse a strength that the method does not have."""
    low, high = METHODS[method].low, METHODS[method].high
    if low <= strength <= high and not math.isinf(strength):
        return
    reach = f"from {low:g} to {high:g}" if high < math.inf else f"a number of at least {low:g}"
    text = f"the strength of {method} is {strength:g}: it must be {reach}"
    if method == "top-bottom":
        text += (
            ", the share of the records up to the upper threshold; to code 10 % at both ends, give "
            "--option bottom=0.1 --option top=0.9"
        )
    raise FileProblem(text)
