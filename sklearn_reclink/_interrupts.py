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
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        if cause is None:
            raise
        raise KeyboardInterrupt from error
