"""One number of a certificate, changed at random."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

UNCHECKED = ("package", "bound_of_fit", "status_of_fit", "columns")  # no part of the claim


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the numbers of a certificate are."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from numbers(item, (*path, name))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from numbers(item, (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def corrupted(certificate: dict[str, Any], rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """What was changed, and the certificate with that one number changed.

    Lists of records are long and duals are few: a kind of number is drawn first, then one of it.
    """
    places = [path for path in numbers(certificate) if path[0] not in UNCHECKED]
    kinds: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for path in places:
        kinds.setdefault(tuple(part for part in path if isinstance(part, str)), []).append(path)
    of_kind = kinds[list(kinds)[rng.integers(len(kinds))]]
    path = of_kind[rng.integers(len(of_kind))]
    changed = copy.deepcopy(certificate)
    holder = changed
    for part in path[:-1]:
        holder = holder[part]
    old = holder[path[-1]]
    choices: list[Any] = [old + 1, old - 1, -old - 1, 0, 10**6, float(old) + 0.5, math.nan]
    if isinstance(old, float):
        choices = [old * (1 + 1e-9), old * 1.001, old / 2, -old, 0.0, old + 1, math.inf]
    else:
        choices += [int(rng.integers(0, certificate["n_records"])), True, str(old), None]
    new = choices[rng.integers(len(choices))]
    holder[path[-1]] = new
    return f"{'.'.join(map(str, path))}: {old!r} to {new!r}", changed
