"""The command ``reclink``: audit a release, compare maskings, mask a file, find a masking.

Exit codes: 0 the command is done and the risk is within the limit, 1 the risk is not shown to be
within the limit or a proof is rejected, 2 the command or a file is wrong, 3 an error in the
program, 130 interrupted.
Results go to standard output, progress and messages to standard error.
"""

import re
import sys
import traceback
import warnings
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

from sklearn_reclink._interrupts import whole_interrupts

WRONG_INPUT = 2
PROGRAM_ERROR = 3
INTERRUPTED = 130
WITH_REPORT = "pip install jinja2 matplotlib pandas pillow pyarrow typer"  # the extra "report"
_OF_OPTION = re.compile(r"^Invalid value for '([^']+)'( / '[^']+')*: ")
# what errors call options of Python, and what these are on the command line
_IN_OPTIONS = (
    (re.compile(r',? or use standardize="rank"'), ""),  # there is no such option
    (re.compile(r"(?<!['\w])columns="), "--columns"),
    (re.compile(r'(?<!\w)by="value"'), "--option by=value"),
    (re.compile(r"(?<!['\w])time_limit(?!['\w])"), "--time-limit"),
)

__all__ = ["main", "run"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its code."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command; every expected error is one sentence on standard error."""
    try:
        with whole_interrupts(), warnings.catch_warnings():
            from sklearn_reclink.cli._commands import app

            warnings.simplefilter("ignore")  # audits return their warnings as notes
            code = app(arguments, prog_name="reclink", standalone_mode=False)
            if code == INTERRUPTED:  # what typer makes of an interrupt
                raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except ImportError as error:
        text = one_line(error)
        remedy = "" if "pip install" in text else f": {WITH_REPORT}"
        return report_error(text + remedy, WRONG_INPUT)
    except (ValueError, OSError) as error:
        return report_error(one_line(error), WRONG_INPUT)
    except MemoryError:
        return report_error(
            "there is not enough memory: choose fewer columns with --columns, or fewer attackers",
            WRONG_INPUT,
        )
    except BrokenExecutor:
        return report_error(
            "a worker process was killed, perhaps for lack of memory: try --n-jobs 1", PROGRAM_ERROR
        )
    except KeyboardInterrupt:
        return report_error("interrupted", INTERRUPTED)
    except Exception as error:  # those of the command line are classes of the click that typer uses
        if type(error).__name__ == "Abort":
            return report_error("interrupted", INTERRUPTED)
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            return WRONG_INPUT
        if hasattr(error, "format_message"):
            return report_error(usage_problem(error), WRONG_INPUT)
        print_trace(error)
        return report_error("this is an error in sklearn-reclink: please report it", PROGRAM_ERROR)


def usage_problem(error: Any) -> str:
    """What is wrong with the command, on one line, and where its options are listed."""
    text = " ".join(error.format_message().split()).rstrip(".")
    text, n_values = _OF_OPTION.subn(r"\1: ", text)
    if n_values or getattr(error, "ctx", None) is None:
        return text
    text = text[:1].lower() + text[1:]
    return f"{text}: {error.ctx.command_path} --help lists what it takes"


def print_trace(error: Exception) -> None:
    """Where an error arose and what it says, unless that may hold a value of the files.

    What this package says holds none; other libraries may quote the value that they refuse.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = bool(frames) and Path(frames[-1].filename).is_relative_to(Path(__file__).parents[1])
    says = str(error) if ours else "(what it says is left out: it may hold a value of the files)"
    trace = "".join(traceback.format_list(frames))
    print(f"{trace}{type(error).__name__}: {says}", file=sys.stderr)


def report_error(text: str, code: int) -> int:
    """Say what went wrong."""
    print(f"reclink: {text}", file=sys.stderr)
    return code


def one_line(error: Exception) -> str:
    """What an error says, on one line and in the words of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = " ".join(str(error).split())
    for of_python, option in _IN_OPTIONS:
        text = of_python.sub(option, text)
    return text
