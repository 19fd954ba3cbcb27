"""Masking a file by the name of a method."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_reclink import masking
from sklearn_reclink.cli import _reading as reading
from sklearn_reclink.cli._reading import FileProblem
from sklearn_reclink.cli._writing import file_content as file_content

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
# by name: the range of strengths
_STRENGTHS: dict[str, tuple[float, float]] = {
    "microaggregation": (1, math.inf),
    "univariate": (1, math.inf),
    "suppression": (1, math.inf),
    "rank-swapping": (0, 100),
    "noise": (0, math.inf),
    "shuffling": (0, 100),
    "jpeg": (1, 100),
    "pram": (0, 1),
    "top-bottom": (0.5, 1),
    "rounding": (0, math.inf),
}
# by name: the strength from which on nothing is masked, and why
_NO_STRENGTH: dict[str, tuple[Callable[[float], bool], str]] = {
    "microaggregation": (lambda k: k <= 1, "a group of one record keeps its values"),
    "univariate": (lambda k: k <= 1, "a group of one record keeps its values"),
    "suppression": (lambda k: k <= 1, "every record is equal to itself, so no value is removed"),
    "rank-swapping": (lambda p: p <= 0, "no values are swapped"),
    "noise": (lambda p: p <= 0, "noise of 0 percent changes nothing"),
    "pram": (lambda p: p >= 1, "every category is kept"),
}
_WHOLE = 2**53  # below it, a whole float is one whole number
# options with a value for each column, which say what is masked
_BY_COLUMN = ("bands", "mapping", "n_levels", "bottom", "top", "base", "p", "matrix")


class MaskedFile(NamedTuple):
    """A masked table, and the columns of the file that are not masked: released or left out.

    Of the columns that were to be masked, ``unchanged`` have all their values still. ``doubts`` is
    what the user should check of what was read.
    """

    table: pd.DataFrame
    unmasked: list[str]
    left_out: list[str]
    unchanged: list[str]
    doubts: list[str]

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
    only_released: bool = False,
    may_keep_all: bool = False,
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
    may_keep_all : bool, default=False
        Whether the file may be released as it is, since a search found it safe enough.

    Returns
    -------
    MaskedFile
        With the id, if any, and the columns masked or kept, in the order of the file.
    """
    kept = list(keep or [])
    needed = None if which.columns is None else [*which.columns, *kept]
    table, to_check = reading.read_table(path, which._replace(columns=None), needed)
    held = which.variables(table)
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
        raise FileProblem(f"{path.name}: {error}") from None
    left_out = [name for name in held if name not in released]
    unchanged = _unchanged(table[wanted], masked[wanted], None if may_keep_all else path)
    masked = masked[released]
    whole = [name for name in masked if _is_whole(table[name]) and _is_whole(masked[name])]
    masked = masked.astype(dict.fromkeys(whole, "Int64"))  # 1 is written as 1, not as 1.0
    if which.id_column is not None:
        masked.insert(0, which.id_column, table[which.id_column].to_numpy())
    doubts = [note for name, note in to_check.items() if name in released]
    return MaskedFile(masked, unmasked, left_out, unchanged, doubts)


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
    if strength is not None and options.get("by") != "value":
        _check_range(method, strength)
    _check_strength(method, options.get(parameter) if parameter else None)
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


def _check_range(method: str, strength: float) -> None:
    """Refuse a strength that the method does not have."""
    low, high = _STRENGTHS[method]
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


def _check_strength(method: str, strength: Any) -> None:
    """Refuse a strength that masks nothing."""
    too_weak, reason = _NO_STRENGTH.get(method, (lambda value: False, ""))
    if isinstance(strength, int | float) and too_weak(strength):
        raise FileProblem(f"{method} with a strength of {strength:g} masks nothing: {reason}")
