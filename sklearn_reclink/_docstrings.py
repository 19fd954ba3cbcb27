"""What docstrings share is written once and filled in where it belongs.

A line ``%(pool absent)s`` in a docstring stands for the entries of these names, at its indentation.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Described = TypeVar("Described", bound=Callable[..., Any])

_ENTRY = re.compile(r"^(\w+)\b.* : .*(?:\n .*)*", re.MULTILINE)
_PLACE = re.compile(r"^( *)%\(([\w ]+)\)s$", re.MULTILINE)


def entries_of(text: str) -> dict[str, str]:
    r"""The entries of a text in numpydoc's form, by their first names.

    Examples
    --------
    >>> entries_of("X, y : array\n    Both files.\nseed : int\n    Of every choice.")
    {'X': 'X, y : array\n    Both files.', 'seed': 'seed : int\n    Of every choice.'}
    """
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text)}


def fill_in(entries: Mapping[str, str]) -> Callable[[Described], Described]:
    """Put shared entries into the docstring of a function, or of a class and its methods.

    Examples
    --------
    >>> from sklearn_reclink import audit
    >>> "holdout : array-like" in audit.__doc__
    True
    """

    def filled(place: re.Match[str]) -> str:
        lines = [line for name in place[2].split() for line in entries[name].split("\n")]
        return "\n".join(place[1] + line if line else "" for line in lines)

    def fill(described: Described) -> Described:
        methods = vars(described).values() if isinstance(described, type) else ()
        for one in (described, *(getattr(one, "__func__", one) for one in methods)):
            if callable(one) and one.__doc__ and "%(" in one.__doc__:
                one.__doc__ = _PLACE.sub(filled, one.__doc__)
        return described

    return fill


def described_as(model: Callable[..., Any]) -> Callable[[Described], Described]:
    """Insert the sections "Parameters" and "Returns" of another function before the examples.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_submodular  # described as is_monotone
    >>> "atol : float" in is_submodular.__doc__
    True
    """

    def describe(function: Described) -> Described:
        _, parameters, rest = (model.__doc__ or "").partition("Parameters\n")
        sections = parameters + rest.partition("Examples\n")[0]
        function.__doc__ = (function.__doc__ or "").replace("Examples\n", f"{sections}Examples\n")
        return function

    return describe
