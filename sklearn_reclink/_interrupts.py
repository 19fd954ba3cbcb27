"""Interrupts that other libraries turn into errors.

numba runs a line of Python when compiled code returns. An interrupt that arrives there becomes a
SystemError, whose cause is the interrupt.
"""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def whole_interrupts() -> Iterator[None]:
    """Raise as an interrupt what was made of one."""
    try:
        yield
    except Exception as error:
        raise_interrupt_of(error)
        raise


def raise_interrupt_of(error: BaseException) -> None:
    """Raise the interrupt that an error was made of, if there is one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    if cause is not None:
        raise KeyboardInterrupt from error
