"""A rival whose package is not installed is left out, and the table says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec


def installed(rivals: Iterable[str], packages: Mapping[str, Iterable[str]]) -> list[str]:
    """The rivals that can run. For each of the others a line names the packages that are missing.

    ``packages`` are those that a rival needs; a rival that is not among them needs none.
    """
    found = []
    for rival in rivals:
        missing = [package for package in packages.get(rival, ()) if find_spec(package) is None]
        if missing:
            print(f"{rival}: left out, not installed: {', '.join(missing)}", flush=True)
        else:
            found.append(rival)
    return found
