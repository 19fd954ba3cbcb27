"""How results are written to files: whole or not at all, and over nothing that is needed.

Commands call `check_outputs` before they begin to work, and every file is written by `write_files`.
It writes into new files beside the final ones and renames these when all are complete, so an
error, a full disk or an interrupt leaves the folder as it was. A new file has the permissions that
the umask gives it; one that replaces another keeps those of the other.

Texts in CSV files are made harmless to spreadsheets, which run a cell that begins with ``=``,
``+``, ``-`` or ``@`` as a formula: a single quote is put before it, and before a tab or carriage
return, as OWASP advises. `harmless` does so for a text and `as_written` undoes it; numbers stay
numbers.
"""

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

# A formula at the start of a cell, or after a sign that some spreadsheets take for a separator.
_START = r"(^|[,;|\t\r\n])"
_FORMULA = r"""(?:['"\s]*[=+\-@＝＋－＠]|['" ]*[\t\r])"""
_DANGEROUS = re.compile(rf"{_START}(?={_FORMULA})")
_QUOTED = re.compile(rf"{_START}'(?={_FORMULA})")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


class OutputError(OSError):
    """Why a file is not written, in one sentence."""


def check_outputs(
    outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path], *, force: bool = False
) -> None:
    """Refuse outputs that cannot be written or would destroy something.

    Parameters
    ----------
    outputs : mapping of str to path or None
        Where to write, by the option that says so; None if it was not given.
    inputs : iterable of paths
        Files that are read.
    force : bool, default=False
        Whether existing files may be overwritten. Inputs and symbolic links never are.

    Raises
    ------
    OutputError
        Names the option, the path and the remedy.
    """
    wanted = {option: Path(path) for option, path in outputs.items() if path is not None}
    sources, taken = list(inputs), dict[str, str]()
    for option, path in wanted.items():
        output = f"{option} {path}"
        if any(_is_same(path, source) for source in sources):
            raise OutputError(f"{output} is an input of this command: write to another file")
        place = _place(path)
        if place in taken:
            raise OutputError(
                f"{output} is also the file of {taken[place]}: give each output its own name"
            )
        taken[place] = option
        _check_target(path, output)
        if not force and path.exists():
            raise OutputError(
                f"{output} exists: write to another file, or pass --force to overwrite it"
            )


def write_files(contents: Mapping[Path, str | bytes], *, overwrite: bool = True) -> None:
    """Write files: all of them whole, or none.

    Parameters
    ----------
    contents : mapping of Path to str or bytes
        What to write where; texts are written in UTF-8.
    overwrite : bool, default=True
        Whether to replace existing files.

    Raises
    ------
    OutputError
        If a file cannot be written, exists but must not be replaced, or is a symbolic link, which
        is not followed.
    """
    partial = {path: path.with_name(f".reclink-{secrets.token_hex(8)}.part") for path in contents}
    try:
        for path, content in contents.items():
            _doing(path, _write_partial, path, partial[path], content)
        for path in contents:
            _check_target(path, str(path))
            if not overwrite and path.exists():
                raise OutputError(f"{path} was created by another program meanwhile: it is kept")
        for path in contents:
            _doing(path, os.replace, partial[path], path)
    finally:
        for file in partial.values():
            with suppress(OSError):
                file.unlink(missing_ok=True)


def harmless(text: str) -> str:
    """The text of a cell, with a single quote before what a spreadsheet would run.

    Examples
    --------
    >>> from sklearn_reclink.auditing.writing import harmless
    >>> [harmless(text) for text in ("=cmd()", "+1+1", "-3.5", "a-b")]
    ["'=cmd()", "'+1+1", '-3.5', 'a-b']
    """
    return text if _NUMBER.fullmatch(text) else _DANGEROUS.sub(r"\1'", text)


def as_written(text: str) -> str:
    """The text that `harmless` was given.

    Examples
    --------
    >>> from sklearn_reclink.auditing.writing import as_written
    >>> as_written("'=cmd()"), as_written("'s-Gravenhage")
    ('=cmd()', "'s-Gravenhage")
    """
    return _QUOTED.sub(r"\1", text)


def _place(path: str | Path) -> str:
    """The folder of a file, links resolved, and its name, as the system compares them."""
    path = Path(path)
    return os.path.normcase(os.path.join(os.path.realpath(path.parent), path.name))


def _is_same(path: Path, other: str | Path) -> bool:
    with suppress(OSError):  # either may be missing
        if os.path.samefile(path, other):
            return True
    return _place(path) == _place(other)


def _check_target(path: Path, output: str) -> None:
    """Refuse what is no file in a folder that can be written to."""
    folder = path.parent
    if path.is_symlink():
        raise OutputError(
            f"{output} is a symbolic link, which is not followed: name the file itself"
        )
    if path.is_dir():
        raise OutputError(f"{output} is a folder: name a file in it")
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise OutputError(f"{output} is not an ordinary file: write to another file")
    if not folder.exists():
        raise OutputError(f"{output}: the folder {folder} does not exist: create it first")
    if not folder.is_dir():
        raise OutputError(f"{output}: {folder} is not a folder: choose another one")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{output}: you may not write to the folder {folder}: choose another one")


def _write_partial(path: Path, partial: Path, content: str | bytes) -> None:
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    with open(os.open(partial, flags, 0o666), "wb") as file:  # the umask applies
        if path.exists():
            os.chmod(partial, stat.S_IMODE(path.stat().st_mode))
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def _doing(path: Path, action: Callable[..., object], *arguments: object) -> None:
    try:
        action(*arguments)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{path} could not be written, and nothing was: {reason}") from error
