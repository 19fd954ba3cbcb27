"""Wrong commands and wrong files end in one sentence, with exit code 2 and nothing written."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import cli

QUICK = "--attackers euclidean --time-limit 1"
NAMES = ["age", "income", "rent"]

# by command: words of the one sentence
WRONG = {
    "audit o.csv o.csv": ("o.csv and o.csv are one file", "give its masked version"),
    "compare o.csv m.csv o.csv --id id": ("o.csv and o.csv are one file",),
    "compare o.csv m.csv m.csv": ("m.csv is given twice: name each masked file once",),
    "audit o.csv m.csv --unaligned --holdout o.csv": ("one file", "give a holdout of other people"),
    "audit o.csv m.csv --unaligned --holdout m.csv": ("one file", "give a holdout of other people"),
    "audit o.csv m.csv --columns ,": ("',' names nothing", "separate names by commas"),
    "audit o.csv m.csv --columns id,age --id id": ("--id names 'id'", "an id is not a variable"),
    "audit o.csv m.csv --id id --nominal id": ("--id names 'id', which --nominal names too",),
    "audit o.csv m.csv --id id --secret id": ("--id names 'id', which --secret names too",),
    "audit o.csv m.csv --id id --weight w --secret w": ("--weight names 'w', which --secret",),
    "audit o.csv m.csv --secret age --known age": ("'age' is in both --secret and --known",),
    "audit o.csv m.csv --secret age --known rent,age": ("'age' is in both", "name it in one"),
    "audit o.csv m.csv --secret age --columns age": ("all columns in use are secret",),
    "mask o.csv a.csv --columns age,rent --keep age": ("'age' is to be masked and also in --keep",),
    "protect o.csv -o a.csv --columns age --keep age": ("leave it out of --keep",),
    "mask o.csv a.csv --strength nan --columns age": ("is a whole number, not nan",),
    "compare o.csv m.csv few.csv --columns age,rent": ("few.csv lacks the column 'rent'",),
    "compare o.csv m.csv few.csv": (
        "few.csv lacks 'income', 'rent', which another masked file has",
        "name with --columns those that all files have",
    ),
    "audit o.csv m.csv --weight town": ("'town' of o.csv holds text: weights must be numbers",),
    "audit o.csv m.csv --weight holes": ("'holes' of o.csv has no weight in row 1",),
    "audit o.csv m.csv --ordinal town=": ("--ordinal gives 'town' an empty level",),
    "audit o.csv m.csv --report a.pdf": ("--report a.pdf is written as HTML", "name it a.html"),
    "audit o.csv m.csv --json a.csv": ("--json a.csv is written as JSON", "name it a.json"),
    "compare o.csv m.csv --report a.pdf": ("--report a.pdf is written as HTML",),
    "protect o.csv -o a.csv --report a.pdf": ("--report a.pdf is written as HTML",),
    "audit o.csv folder": ("folder is a folder: name a file in it",),
    "audit o.csv page.html": ("page.html cannot be read: save it as CSV",),
    "audit o.csv constant.csv": ("every column is constant in the original or in the masked file",),
    "audit o.csv others.csv --id id": ("0 ids are in both o.csv and others.csv",),
    "audit o.csv m.csv --attackers euclid": ("'euclid', which is unknown: choose from euclidean",),
    "audit o.csv m.csv --fail-above 2": ("--fail-above: 2 is not a share", "write 0.02 for 2 %"),
    "audit o.csv m.csv --fail-above 20%": ("20% is not a share", "write 0.2 for 20 %"),
    "audit o.csv m.csv --fail-above nan": ("nan is not a share from 0 to 1, such as 0.05",),
    "audit o.csv m.csv --time-limit inf": ("--time-limit: inf is not a number of seconds",),
    "audit o.csv m.csv --n-jobs 0": ("--n-jobs: 0 is not a number of workers",),
    "audit o.csv m.csv --seed -1": ("--seed: -1 is not a whole number from 0",),
    "audit o.csv": ("missing argument 'masked': reclink audit --help lists what it takes",),
    "audit o.csv m.csv --bogus": ("no such option: --bogus", "reclink audit --help"),
    "nothing": ("no such command 'nothing': reclink --help",),
    "protect o.csv": ("missing option '--output'", "reclink protect --help"),
    "protect o.csv -o a.csv --max-risk 0": ("--max-risk: 0 can never be met",),
    "protect o.csv -o a.csv --max-risk 5": ("--max-risk: 5 is not a share", "write 0.05 for 5 %"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("wrong")
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 3)).round(3), columns=NAMES)
    X.insert(0, "id", range(60))
    X["town"], X["w"] = random.choice(list("abc"), 60), 10.0
    X["holes"] = [None, *range(1, 60)]
    Y = X.drop(columns=["w", "holes"])
    Y[NAMES] += 0.1 * random.normal(size=(60, 3))
    files = {
        "o": X,
        "m": Y,
        "constant": Y.assign(id=0, age=1, income=2, rent=3, town="a"),
        "others": Y.assign(id=Y["id"] + 1000),
        "few": Y[["id", "age", "town"]],
        "two": X[:2][["id", *NAMES]],
    }
    for name, table in files.items():
        table.to_csv(place / f"{name}.csv", index=False)
    (place / "folder").mkdir()
    (place / "page.html").write_text("<html></html>")
    return place


@pytest.fixture(autouse=True)
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_use_ends_in_one_sentence(command, capsys):
    before = contents()
    assert cli.run(shlex.split(command)) == 2
    printed = capsys.readouterr()
    *before_it, sentence = printed.err.splitlines()  # notes, and what was read
    assert printed.out == "" and "Traceback" not in printed.err
    assert sentence.startswith("reclink: ") and not sentence.startswith("reclink: note: ")
    assert all(line.startswith("reclink: note: ") or ": " not in line for line in before_it)
    for words in WRONG[command]:
        assert words in sentence
    assert contents() == before


def test_a_command_without_arguments_shows_its_help(capsys):
    assert cli.run([]) == 2
    assert "Usage: reclink" in capsys.readouterr().out


def test_two_records_are_not_protected_and_nothing_breaks(capsys):
    options = ["--id", "id", "--time-limit", "5", "--attackers", "euclidean"]
    # no masking is within the target (1), or the best one found changes nothing (2)
    assert cli.run(["protect", "two.csv", "-o", "out.csv", *options]) in (1, 2)
    assert "please report it" not in capsys.readouterr().err and not Path("out.csv").exists()


def test_notes_on_files_are_in_the_words_of_the_command(capsys):
    empty = pd.read_csv("m.csv").assign(rent=None)
    empty.to_csv("empty.csv", index=False)
    assert cli.run(["audit", "o.csv", "empty.csv", *QUICK.split(), "--columns", "age,rent"]) == 0
    noted = capsys.readouterr().err
    assert "column 'rent' has no value in the masked file: it tells nobody apart" in noted
    Path("empty.csv").unlink()
