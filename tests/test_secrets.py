"""The tool keeps secrets: no value of a record leaves it unasked, and nothing is sent or unpickled.

Shown are names of files and columns, rows, ids, counts, rates, learned parameters and aggregates
such as bounds, margins and information loss. Values of records are shown by ``--include-values``
only.
"""

from __future__ import annotations

import ast
import json
import re
import socket
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklearn_reclink
from sklearn_reclink import audit, cli
from sklearn_reclink.linkers import ALL_LINKERS

PACKAGE = Path(sklearn_reclink.__file__).parent
NUMBER = "918273"  # every value of the files of these tests contains it, or the word
WORD = "Zebulon"
QUICK = ["--attackers", "euclidean,weighted_mean", "--time-limit", "0.5"]


def files(n_records=24):
    """Files whose every value begins with the same six digits, such as 918273.0142."""
    rng = np.random.default_rng(0)
    X = np.round(918273 + rng.uniform(0, 0.9, size=(n_records, 3)), 4)
    Y = np.round(X + rng.uniform(-0.04, 0.04, size=X.shape), 4)
    return [pd.DataFrame(table, columns=["age", "tax", "rent"]) for table in (X, Y)]


def assert_silent(*texts):
    for text in texts:
        shown = re.sub(r"<svg.*?</svg>", "", str(text), flags=re.DOTALL)  # coordinates of points
        assert NUMBER not in shown.replace(",", "") and WORD not in shown, shown


BAD = {
    "text": WORD,
    "quoted text": f"{WORD}'s",
    "bytes": WORD.encode(),
    "number with a unit": f"{NUMBER} EUR",
    "infinite": np.inf,
    "too large": 918273 * 10**400,
    "beyond floats": 918273 * 10**14 + 1,
    "complex": 918273j,
    "sequence": (918273.0,),
    "date": pd.Timestamp("2001-02-03"),
}


def outcome(work, capsys):
    """All that somebody may see of a call: output, warnings, and the text of its exception."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            work()
            said = ""
        except Exception as error:
            said = f"{error} {error.__cause__ or ''} {getattr(error, '__notes__', '')}"
    printed = capsys.readouterr()
    return [said, printed.out, printed.err, *(str(one.message) for one in caught)]


def built(linker):
    options = {"verbose": 2, "time_limit": 0.3, "random_state": 0}
    return linker(**{name: options[name] for name in options if name in linker().get_params()})


@pytest.mark.parametrize("linker", ALL_LINKERS, ids=lambda one: one.__name__)
def test_linkers_say_no_value(linker, capsys):
    X, Y = files()
    one = built(linker)
    assert_silent(*outcome(lambda: one.fit(X, Y).score(X, Y), capsys), repr(one))
    unaligned = Y.sample(frac=1, random_state=0).reset_index(drop=True)
    assert_silent(*outcome(lambda: built(linker).fit(X, unaligned), capsys))


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("which", [0, 1])
def test_errors_about_a_value_do_not_show_it(bad, which, capsys):
    pair = [table.astype(object) for table in files()]
    pair[which].at[5, "tax"] = BAD[bad]
    linker = built(ALL_LINKERS[0])
    for X, Y in (pair, [table.to_numpy() for table in pair], [t.to_numpy().tolist() for t in pair]):
        said = outcome(lambda X=X, Y=Y: linker.fit(X, Y), capsys)
        assert said[0]
        assert_silent(*said)
    said = outcome(lambda: audit(*pair, attackers=["euclidean"]), capsys)
    assert_silent(*said)
    assert said[0]


def test_an_audit_and_its_report_show_no_value():
    X, Y = files()
    found = audit(X, Y, time_limit=10, limit=0.2, attackers=["euclidean", "weighted_mean"])
    assert_silent(found.to_html(), found.to_text(), json.dumps(found.to_dict()))
    assert_silent(found.records.to_csv(), found.records.to_frame().to_string())
    assert NUMBER in found.records.to_csv(values=found.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, table in zip(("original", "masked"), files(), strict=True):
        table.insert(0, "person", [f"p{k}" for k in range(len(table))])
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_show_no_value(folder, capsys):
    written = ["--report", "a.html", "--json", "a.json"]
    paths = ["original.csv", "masked.csv", "--id", "person"]
    assert cli.run(["audit", *paths, *written, *QUICK, "--fail-above", "0.1"]) == 1
    written = ["--report", "b.html", "--json", "b.json"]
    assert cli.run(["compare", *paths, *written, *QUICK]) == 0
    assert cli.run(["mask", "original.csv", "out.csv", "--id", "person"]) == 0
    printed = capsys.readouterr()
    made = ["a.html", "a.json", "a-records.csv", "b.html", "b.json"]
    assert_silent(printed.out, printed.err, *(Path(name).read_text("utf-8") for name in made))


LINES = {
    "text": f"p5,{WORD},918273.1,918273.2",
    "number with a unit": "p5,918273 EUR,918273.1,918273.2",
    "infinite": "p5,inf,918273.1,918273.2",
    "beyond floats": "p5,9182730000000000001,918273.1,918273.2",
    "far beyond floats": f"p5,918273{'0' * 30}1,918273.1,918273.2",
    "too many cells": "p5,918273.1,918273.1,918273.2,918273.3",
    "an open quote": 'p5,"918273.1,918273.1,918273.2',
    "a date": "p5,9182-73-01,918273.1,918273.2",
    "decimal commas": 'p5,"918273,1",918273.1,918273.2',
}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("file", ["original.csv", "masked.csv"])
@pytest.mark.parametrize("command", ["audit", "compare", "mask"])
def test_commands_refuse_a_value_without_showing_it(folder, file, line, command, capsys):
    lines = (folder / file).read_text().splitlines()
    lines[6] = LINES[line]
    (folder / file).write_text("\n".join(lines) + "\n")
    paths = [file, "out.csv"] if command == "mask" else ["original.csv", "masked.csv"]
    assert cli.run([command, *paths, "--id", "person"]) == 2
    printed = capsys.readouterr()
    assert file in printed.err and len(printed.err.splitlines()) == 1
    assert_silent(printed.out, printed.err)


def test_a_record_in_the_place_of_names_is_not_shown(folder, capsys):
    for file in ("original.csv", "masked.csv"):
        pd.read_csv(file).drop(columns="person").to_csv(file, index=False, header=False)
    assert cli.run(["audit", "original.csv", "masked.csv"]) == 2
    printed = capsys.readouterr()
    assert "write the names of the columns" in printed.err
    assert_silent(printed.err)


def test_years_may_be_names(tmp_path, capsys):
    X, Y = (table.set_axis(["2019", "2020", "2021"], axis=1) for table in files())
    for name, table in (("o.csv", X), ("m.csv", Y)):
        table.to_csv(tmp_path / name, index=False)
    assert cli.run(["audit", str(tmp_path / "o.csv"), str(tmp_path / "m.csv"), *QUICK]) == 0


def test_what_other_libraries_say_is_left_out_of_a_trace(folder, monkeypatch, capsys):
    def convert(*_, **__):
        raise TypeError(f"cannot convert {WORD}")  # as if in another library

    monkeypatch.setattr("sklearn_reclink.auditing.audit", convert)
    assert cli.run(["audit", "original.csv", "masked.csv", "--id", "person"]) == 3
    printed = capsys.readouterr().err
    assert "TypeError" in printed and "convert(" not in printed.splitlines()[-2]
    assert f"cannot convert {WORD}" not in printed


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the network was used")

    for name in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)


def test_no_network_in_fit_audit_and_report(no_network, folder, capsys):
    X, Y = files()
    for linker in ALL_LINKERS:
        assert "network" not in outcome(lambda linker=linker: built(linker).fit(X, Y), capsys)[0]
    paths = ["original.csv", "masked.csv", "--id", "person"]
    assert cli.run(["audit", *paths, "--report", "risk.html", *QUICK]) == 0
    page = (folder / "risk.html").read_text("utf-8")
    addresses = set(re.findall(r"""(?:https?:)?//[\w.-]+\.\w+[^\s"'<]*""", page))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}  # names
    assert "@import" not in page and not re.search(r"url\((?!#)|<(link|iframe|img|object)\b", page)


UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}


def test_nothing_is_unpickled():
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert not UNSAFE & {alias.name.split(".")[0] for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in UNSAFE, path
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                caller = ast.unparse(node.func)
                assert caller not in {"joblib.load", "np.load", "pd.read_pickle"}, path
                assert all(word.arg != "allow_pickle" for word in node.keywords), path
