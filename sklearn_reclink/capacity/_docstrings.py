"""One description for functions that take and return the same."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def described_as(model: Callable[..., Any]) -> Callable[[Function], Function]:
    """Insert the sections "Parameters" and "Returns" of another function before the examples.

    Examples
    --------
    >>> from sklearn_reclink.capacity import is_submodular  # described as is_monotone
    >>> "atol : float" in is_submodular.__doc__
    True
    """

    def describe(function: Function) -> Function:
        _, parameters, rest = (model.__doc__ or "").partition("Parameters\n")
        sections = parameters + rest.partition("Examples\n")[0]
        function.__doc__ = (function.__doc__ or "").replace("Examples\n", f"{sections}Examples\n")
        return function

    return describe
