"""The command ``reclink``: audit a release, compare maskings, mask a file.

Exit codes: 0 the audit is done and within the limit, 1 the risk is above ``--fail-above``, 2 the
command or a file is wrong, 3 an error in the program, 130 interrupted. What is asked for goes to
standard output, progress and complaints to standard error.
"""

from __future__ import annotations

import sys
import traceback
import warnings

WRONG_INPUT = 2
PROGRAM_ERROR = 3
INTERRUPTED = 130

__all__ = ["main", "run"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end with its exit code."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command; every expected fault is one sentence on standard error."""
    try:
        import typer
    except ImportError:
        return fault("it needs typer: pip install 'sklearn-reclink[report]'", WRONG_INPUT)
    from sklearn_reclink.cli.commands import app

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # audits hand over what they would warn of
            code = app(arguments, prog_name="reclink", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        return fault("interrupted", INTERRUPTED)
    except (ValueError, OSError, ImportError) as error:
        return fault(sentence(error), WRONG_INPUT)
    except Exception as error:
        if hasattr(error, "show"):  # of the command line, by whichever click typer brings
            error.show()
            return WRONG_INPUT
        traceback.print_exc()
        return fault("this is an error in sklearn-reclink: please report it", PROGRAM_ERROR)


def fault(text: str, code: int) -> int:
    """Say what went wrong."""
    print(f"reclink: {text}", file=sys.stderr)
    return code


def sentence(error: Exception) -> str:
    """What an error says, on one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
