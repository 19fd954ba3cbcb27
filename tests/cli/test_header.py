"""A first line that is a record is refused, and none of its values is shown."""

from __future__ import annotations

import pytest

from sklearn_reclink import cli
from sklearn_reclink.cli._tables import load
from tests.cli.conftest import write

PEOPLE = [
    ("1,34,2100", "2,41,900", "3,29,1250"),
    ("Anna Meier,34,2100", "Eva Huber,41,900", "Max Maier,29,1250"),
    ("Anna Meier,34,2100.50", "Eva Huber,41,900.25", "Max Maier,29,1250"),
    ("Anna Meier,1990-02-01,f", "Eva Huber,1983-12-24,f", "Max Maier,1995-07-30,m"),
    ("Anna Meier,Vienna,34,f", "Eva Huber,Vienna,41,f", "Max Maier,Graz,29,m"),
    ("0,1", "1,1", "0,0"),
    ("34", "41", "29"),
]
NAMED = [
    ("town,2019,2020", "Graz,34,2100", "Linz,41,900", "Wels,29,1250"),
    ("town,2010,2020", "Graz,34,2100", "Linz,41,900", "Wels,29,1250"),
    ("0,1,2", "34,2100,1", "41,900,2", "29,1250,3"),
    (",0,1,2", "a,34,2100,1", "b,41,900,2", "c,29,1250,3"),
    ("item,10,20,30", "a,34,2100,1", "b,41,900,2", "c,29,1250,3"),
    ("age,2020", "34,1", "41,2", "29,3"),
    ("urban,income", "urban,1", "rural,2", "urban,3"),
    ("01.01.2024,01.02.2024,x", "34,2100,1", "41,900,2", "29,1250,3"),
]


@pytest.mark.parametrize("lines", PEOPLE)
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_record_is_no_line_of_names(tmp_path, lines, suffix, capsys):
    path = tmp_path / f"o.{suffix}"
    if suffix == "csv":
        write(path, "\n".join(lines))
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for line in lines:
            cells = line.split(",")
            book.active.append([float(cell) if cell.isdigit() else cell for cell in cells])
        book.save(path)
    other = write(tmp_path / "m.csv", "\n".join(line.replace("2", "3") for line in lines))
    assert cli.run(["audit", str(path), str(other)]) == 2
    error = capsys.readouterr().err
    assert f"the first line of o.{suffix} looks like a record" in error
    assert not any(value in error for value in lines[0].split(",") if len(value) > 1)


@pytest.mark.parametrize("lines", NAMED)
def test_names_that_look_like_values_are_names(tmp_path, lines):
    path = write(tmp_path / "o.csv", "\n".join(lines))
    assert len(load(path).frame) == len(lines) - 1
