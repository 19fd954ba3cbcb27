"""The command ``reclink``: audit a release, compare maskings, mask a file.

Exit codes: 0 the audit is done and the risk is within the limit, 1 the risk is above
``--fail-above``, 2 the command or a file is wrong, 3 an error in the program, 130 interrupted.
Results go to standard output, progress and messages to standard error.
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
    """Run the command and exit with its code."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command; every expected error is one sentence on standard error."""
    try:
        import typer
    except ImportError:
        return report_error(
            "this command requires typer: pip install 'sklearn-reclink[report]'", WRONG_INPUT
        )
    from sklearn_reclink.cli._commands import app

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # audits return their warnings as notes
            code = app(arguments, prog_name="reclink", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        return report_error("interrupted", INTERRUPTED)
    except (ValueError, OSError, ImportError) as error:
        return report_error(one_line(error), WRONG_INPUT)
    except Exception as error:
        if hasattr(error, "show"):  # an error of the command line, by the click that typer uses
            error.show()
            return WRONG_INPUT
        traceback.print_exc()
        return report_error("this is an error in sklearn-reclink: please report it", PROGRAM_ERROR)


def report_error(text: str, code: int) -> int:
    """Say what went wrong."""
    print(f"reclink: {text}", file=sys.stderr)
    return code


def one_line(error: Exception) -> str:
    """What an error says, on one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
