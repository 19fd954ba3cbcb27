"""What commands write: whole or not at all, and over nothing that somebody may need.

Every refusal comes before any work, as exit code 2 and one sentence that names the option, the path
and the remedy.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import multiprocessing
import os
import stat
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.externals.loky.process_executor import TerminatedWorkerError

from sklearn_reclink import audit, cli
from sklearn_reclink.auditing import writing
from sklearn_reclink.auditing.writing import OutputError, as_written, harmless, write_files
from tests.auditing.pairs import masked, original

QUICK = ["--attackers", "euclidean", "--time-limit", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    X = original()
    X.to_csv(tmp_path / "original.csv", index=False)
    masked(X).to_csv(tmp_path / "masked.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_work(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a file was read before its outputs were checked")

    monkeypatch.setattr("sklearn_reclink.cli._tables.load", refuse)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def run_audit(*options):
    return cli.run(["audit", "original.csv", "masked.csv", *QUICK, *options])


COMMANDS = {
    "--report": ["audit", "original.csv", "masked.csv", "--report"],
    "--json": ["audit", "original.csv", "masked.csv", "--json"],
    "--records": ["audit", "original.csv", "masked.csv", "--records"],
    "compare --report": ["compare", "original.csv", "masked.csv", "--report"],
    "compare --json": ["compare", "original.csv", "masked.csv", "--json"],
    "OUTPUT": ["mask", "original.csv"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_no_command_writes_onto_its_input(folder, no_work, command, force, capsys):
    arguments, option = COMMANDS[command], command.split()[-1]
    os.link("original.csv", "twin.csv")
    (folder / "sub").mkdir()
    before = content(folder)
    inputs = ["original.csv", str(folder / "original.csv"), "sub/../original.csv", "twin.csv"]
    inputs += ["masked.csv"] * (option != "OUTPUT")
    for path in inputs:
        assert cli.run([*arguments, path, *force]) == 2
        assert f"{option} {path} is an input" in capsys.readouterr().err
    assert content(folder) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_other_files_are_overwritten_by_force_only(folder, no_work, command, capsys):
    (folder / "mine.csv").write_text("mine")
    assert cli.run([*COMMANDS[command], "mine.csv"]) == 2
    printed = capsys.readouterr().err
    assert f"{command.split()[-1]} mine.csv exists" in printed and "--force" in printed
    assert (folder / "mine.csv").read_text() == "mine"


def test_force_overwrites_and_a_second_run_needs_it(folder, capsys):
    outputs = ["--records", "risk.csv", "--json", "risk.json", "-q"]
    assert run_audit(*outputs) == 0
    assert run_audit(*outputs) == 2
    (folder / "risk.json").write_text("old")
    assert run_audit(*outputs, "--force") == 0
    assert json.loads((folder / "risk.json").read_text())["n_records"] == 60
    assert cli.run(["mask", "original.csv", "masked.csv"]) == 2
    assert cli.run(["mask", "original.csv", "masked.csv", "--force"]) == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--report", "a", "--json", "./a"], "--json a is also the file of --report"),
        (["--json", "a", "--records", "sub/../a"], "is also the file of --json"),
        (["--report", "a.html", "--json", "a-records.csv"], "--records (next to the report)"),
    ],
)
def test_two_outputs_on_one_path_are_refused(folder, no_work, options, sentence, capsys):
    (folder / "sub").mkdir()
    assert run_audit(*options) == 2
    assert sentence in capsys.readouterr().err


def test_the_default_list_of_records_spares_an_input(folder, no_work, capsys):
    os.rename("masked.csv", "risk-records.csv")
    before = content(folder)
    arguments = ["audit", "original.csv", "risk-records.csv", "--report", "risk.html", "--force"]
    assert cli.run(arguments) == 2
    assert "risk-records.csv is an input" in capsys.readouterr().err
    assert content(folder) == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("target", ["elsewhere.csv", "nowhere.csv", "original.csv"])
def test_links_are_not_followed(folder, no_work, command, target, capsys):
    (folder / "elsewhere.csv").write_text("mine")
    (folder / "link.csv").symlink_to(target)
    before = content(folder)
    assert cli.run([*COMMANDS[command], "link.csv", "--force"]) == 2
    wanted = "is an input" if target == "original.csv" else "is a symbolic link"
    assert wanted in capsys.readouterr().err
    assert content(folder) == before and (folder / "link.csv").is_symlink()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nowhere/a", "the folder nowhere does not exist"),
        ("masked.csv/a", "masked.csv is not a folder"),
        ("sub", "is a folder"),
        ("pipe", "not an ordinary file"),
        ("a" * 300, "too long"),
    ],
)
def test_places_that_cannot_be_written_to_are_said(
    folder, no_work, command, path, sentence, capsys
):
    (folder / "sub").mkdir()
    os.mkfifo("pipe")
    assert cli.run([*COMMANDS[command], path]) == 2
    assert sentence in capsys.readouterr().err


def test_a_folder_that_may_not_be_written_to(folder, no_work, monkeypatch, capsys):
    (folder / "sub").mkdir()
    access = os.access  # root may do all
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK and access(path, mode))
    assert run_audit("--json", "sub/risk.json") == 2
    assert "you may not write to the folder sub" in capsys.readouterr().err


class FaultyFile(io.FileIO):
    """A file that fails after a few bytes."""

    error: BaseException = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data):
        super().write(bytes(data)[:10])
        raise self.error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 2),
        (OSError(errno.EROFS, "Read-only file system"), 2),
        (KeyboardInterrupt(), 130),
    ],
    ids=["full", "read-only", "interrupt"],
)
@pytest.mark.parametrize("n_written", [0, 1])
def test_a_fault_while_writing_leaves_the_folder_as_it_was(
    folder, monkeypatch, capsys, error, code, n_written
):
    (folder / "risk.json").write_text("old")
    before = content(folder)
    opened = []

    def faulty(descriptor, mode):
        opened.append(descriptor)
        if len(opened) <= n_written:
            return open(descriptor, mode)
        file = FaultyFile(descriptor, mode)
        file.error = error
        return file

    monkeypatch.setattr(writing, "open", faulty, raising=False)
    assert run_audit("--records", "risk.csv", "--json", "risk.json", "--force") == code
    assert content(folder) == before
    printed = capsys.readouterr()
    assert len(opened) == n_written + 1 and len(printed.err.splitlines()) == 1
    if code == 2:
        assert "could not be written" in printed.err and error.strerror in printed.err


@pytest.mark.parametrize(
    ("where", "error"),
    [("_html.audit_figures", RuntimeError("broken")), ("_html.render_page", KeyboardInterrupt())],
)
def test_a_report_interrupted_half_way_leaves_nothing(folder, monkeypatch, capsys, where, error):
    before = content(folder)

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(f"sklearn_reclink.auditing.{where}", fail)
    assert run_audit("--report", "risk.html", "--json", "risk.json") in (3, 130)
    assert content(folder) == before


def test_a_file_made_meanwhile_is_kept(tmp_path):
    path = tmp_path / "a"
    path.write_text("mine")
    with pytest.raises(OutputError, match="meanwhile"):
        write_files({tmp_path / "b": "new", path: "new"}, overwrite=False)
    assert content(tmp_path) == {"a": b"mine"}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_the_umask_or_of_the_file_replaced(tmp_path, umask):
    new, old = tmp_path / "new", tmp_path / "old"
    old.touch()
    old.chmod(0o600)
    before = os.umask(umask)
    try:
        write_files({new: "text", old: b"bytes"})
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(old.stat().st_mode) == 0o600
    assert content(tmp_path) == {"new": b"text", "old": b"bytes"}


def test_an_audit_saves_its_records_like_pandas_but_follows_no_link(tmp_path):
    X = original()
    found = audit(X, masked(X), attackers=["euclidean"])
    path = tmp_path / "records.csv"
    path.write_text("old")
    found.save_records(path)
    assert len(pd.read_csv(path)) == len(found.records)
    (tmp_path / "link.csv").symlink_to(path)
    with pytest.raises(OutputError, match="symbolic link"):
        found.save_records(str(tmp_path / "link.csv"))


FORMULAS = ["=1+1", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\r=1", "\tx", " =1", "'=1", '"=1', "＝1"]
FORMULAS += ["a;=1", "a\n=1", "a\t@x", 'x,"=1']
HARMLESS = ["", "a", "007", "-3.5", "+1", "-1e-5", "+34612345678", "a-b", "x=1", "'s-Gravenhage"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_quoted_wherever_a_cell_may_begin(text):
    written = harmless(text)
    assert written != text and as_written(written) == text
    assert harmless(written).count("'") > written.count("'")  # or the quote could not be told


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay_as_they_are(text):
    assert harmless(text) == text == as_written(text)


@given(st.text(alphabet="=+-@'\" \t\r\n,;a1＝"))
def test_quoting_can_be_undone(text):
    assert as_written(harmless(text)) == text


def test_ids_and_names_that_are_formulas_are_written_as_text_and_read_back(folder, capsys):
    names = ["=cmd()", "+x", "-y", "plain"]
    X = original().set_axis(names, axis=1)
    ids = [f"{'=+-@'[k % 4]}{k}+1" for k in range(len(X))]
    X = X - X.mean()  # negative numbers stay numbers
    X.insert(0, "@id", ids)
    X.to_csv("formulas.csv", index=False)
    assert cli.run(["mask", "formulas.csv", "out.csv", "--id", "@id", "--method", "noise"]) == 0
    header, *rows = csv.reader(Path("out.csv").read_text(encoding="utf-8").splitlines())
    assert header == ["'@id", "'=cmd()", "'+x", "'-y", "plain"]
    assert [row[0] for row in rows] == ["'" + one for one in ids]
    assert any(row[1].startswith("-") for row in rows)
    options = ["--id", "@id", "--records", "records.csv", "--include-values", *QUICK, "-q"]
    assert cli.run(["audit", "formulas.csv", "out.csv", *options]) == 0
    listed = list(csv.DictReader(io.StringIO(Path("records.csv").read_text())))
    assert listed and {one["id"] for one in listed} <= {"'" + one for one in ids}
    assert all(float(one["original: =cmd()"]) == X["=cmd()"][int(one["row"]) - 1] for one in listed)
    assert all(as_written(one["id"]) == ids[int(one["row"]) - 1] for one in listed)


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (TerminatedWorkerError("killed"), 3, "a worker process was killed"),
        (MemoryError("Unable to allocate 233. GiB"), 2, "not enough memory"),
        (KeyboardInterrupt(), 130, "reclink: interrupted"),
    ],
    ids=["killed worker", "memory", "interrupt"],
)
def test_a_search_that_is_cut_off_is_said_and_leaves_nothing(
    folder, monkeypatch, capsys, error, code, sentence
):
    before, running = content(folder), multiprocessing.active_children()

    def cut_off(*_, **__):
        raise error

    monkeypatch.setattr("sklearn_reclink.search.index.Index.linked", cut_off)
    options = ["--records", "risk.csv", "--json", "risk.json", "--n-jobs", "2"]
    assert run_audit(*options) == code
    printed = capsys.readouterr()
    assert sentence in printed.err and "Traceback" not in printed.err
    assert content(folder) == before
    assert not set(multiprocessing.active_children()) - set(running)
