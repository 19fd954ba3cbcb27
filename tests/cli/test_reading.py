"""Files are read as they come: layout, columns, types, people."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import cli
from sklearn_reclink.cli import _console as console
from sklearn_reclink.cli._reading import FileProblem, Selection, read_pair, read_table
from sklearn_reclink.data.kinds import learn_variables
from tests.cli.conftest import write

nan = np.nan


def kinds(pair):
    return {one.name: one.kind for one in pair.columns}


# Layout.


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_encodings_separators_and_padded_headers(read, encoding, separator):
    lines = [" größe ,sex,ort", '"1",m ,Köln', "2, f,Würzburg", "3,m,Köln"]
    pair = read("\n".join(lines).replace(",", separator), encoding=encoding)
    assert list(pair.original.columns) == ["größe", "sex", "ort"]
    assert pair.original["größe"].tolist() == [1, 2, 3]
    assert pair.original["sex"].tolist() == ["m", "f", "m"]
    assert pair.masked["ort"].tolist() == ["Köln", "Würzburg", "Köln"]
    assert kinds(pair) == {"größe": "numeric", "sex": "nominal", "ort": "nominal"}
    assert any("cp1252" in note for note in pair.notes) == (encoding == "cp1252")


def test_a_late_sign_of_latin_1_is_read(read):
    lines = ["place,v", *("Ulm,1" for _ in range(20_000)), "Köln,2"]
    assert read("\n".join(lines), encoding="latin-1").original["place"].iloc[-1] == "Köln"


def test_names_and_numbers_with_other_separators_in_them(read):
    pair = read("income, net;age, years\n1,5;2\n2,25;3\n")
    assert pair.original.to_dict("list") == {"income, net": [1.5, 2.25], "age, years": [2, 3]}
    assert read("v\n1,5\n2,5\n").original["v"].tolist() == [1.5, 2.5]


def test_columns_in_common_are_used_and_the_others_named(read):
    pair = read("a,b,c\n1,2,3\n4,5,6\n", "c,d,a\n3,0,1\n6,0,4\n")
    assert list(pair.original.columns) == list(pair.masked.columns) == ["a", "c"]
    assert pair.notes == [
        "left out, because only o.csv has it: b",
        "left out, because only m.csv has it: d",
    ]
    with pytest.raises(FileProblem, match=r"no column in common: o.csv has 'a', m.csv has 'b'"):
        read("a\n1\n2\n", "b\n1\n2\n")
    with pytest.raises(FileProblem, match=r"m.csv lacks the column 'b'; it has 'a'"):
        read("a,b\n1,2\n3,4\n", "a\n1\n2\n", columns=["a", "b"])


def test_columns_without_names_are_left_out(read):
    pair = read(',a\n"1",5\n"2",6\n')
    assert list(pair.original.columns) == ["a"]
    assert "o.csv: a column without a name is left out" in pair.notes


def test_rows_of_too_few_or_too_many_cells_are_refused(read):
    for row, cells in (("3", "1 cell"), ("3,4,5", "3 cells")):
        with pytest.raises(FileProblem, match=f"o.csv is .* row 2 has {cells}, the header"):
            read(f"a,b\n1,2\n{row}\n5,6\n")
    with pytest.raises(FileProblem, match="its quotes are wrong before line 3"):
        read('a,b\n1,2\n3,"4\n')


@pytest.mark.parametrize("name", ["x.xls", "x.sav", "x.dta", "x.ods", "x.csv.gz"])
def test_other_formats_get_a_clear_no(tmp_path, name):
    write(tmp_path / name, b"a")
    with pytest.raises(FileProblem, match="save it as CSV, Parquet or Excel"):
        read_table(tmp_path / name, Selection())


# Parquet and Excel.


def test_types_of_parquet_are_kept_and_lead_those_of_csv(tmp_path):
    levels = pd.CategoricalDtype(["low", "high"], ordered=True)
    table = pd.DataFrame(
        {
            "age": pd.array([31, None], dtype="Int64"),
            "code": ["01", "02"],
            "class": pd.Series(["high", "low"], dtype=levels),
            "born": [dt.date(2000, 1, 2), dt.date(2001, 1, 2)],
            "old": [True, False],
        }
    )
    table.to_parquet(tmp_path / "o.parquet")
    text = "age,code,class,born,old\n30,02,low,02.01.2000,true\n,01,NA,03.01.2000,\n"
    pair = read_pair(tmp_path / "o.parquet", write(tmp_path / "m.csv", text), Selection())
    variables = learn_variables(pair.original, pair.masked)
    assert variables.kinds == ("numeric", "nominal", "ordinal", "numeric", "nominal")
    codes = variables.codes((pair.original, "original"), (pair.masked, "masked"))
    np.testing.assert_array_equal(codes[0][:, 1:3], [[0, 1], [1, 0]])
    np.testing.assert_array_equal(codes[1][:, 1:3], [[1, 0], [0, nan]])
    assert codes[0][0, 3] == codes[1][0, 3]
    told = read_pair(
        tmp_path / "o.parquet", tmp_path / "o.parquet", Selection(columns=["age"], nominal=["age"])
    )
    assert list(told.original["age"].cat.categories) == [31]


def test_excel_files_are_read(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    table = pd.DataFrame(
        {
            " age ": [31, None, 40],
            "sex": ["m", "N/A", "f"],
            "pay": ["1,5", "2,25", "n/a"],
            "born": pd.to_datetime(["2000-01-02", None, "2001-01-02"]),
        }
    )
    table.to_excel(tmp_path / "o.xlsx", index=False)
    pair = read_pair(tmp_path / "o.xlsx", tmp_path / "o.xlsx", Selection())
    assert kinds(pair) == {"age": "numeric", "sex": "nominal", "pay": "numeric", "born": "numeric"}
    assert pair.original["age"].dtype == float
    np.testing.assert_array_equal(pair.original["age"], [31, nan, 40])
    np.testing.assert_array_equal(pair.original["pay"], [1.5, 2.25, nan])
    assert pair.original["sex"].isna().tolist() == [False, True, False]
    monkeypatch.setattr("sklearn_reclink.cli._tables.find_spec", lambda name: None)
    with pytest.raises(FileProblem, match="need openpyxl: pip install openpyxl"):
        read_table(tmp_path / "o.xlsx", Selection())


# People.


def test_people_of_one_file_only_are_impostors_or_absent(read):
    original = "id,a\n007,1\nb,2\nc,3\nd,4\n"
    pair = read(original, "a,id\n40,d\n90,x\n10,007\n", id_column="id")
    assert pair.ids == ["007", "d"]
    assert pair.original["a"].tolist() == [1, 4] and pair.masked["a"].tolist() == [10, 40]
    assert pair.pool["a"].tolist() == [90] and pair.absent["a"].tolist() == [2, 3]
    shown = console.what_was_read(pair)
    assert shown.endswith(
        "2 people are in both files; 1 masked record is not in the original file; 2 people of the "
        "original file are not in the masked file."
    )
    pair = read(original, id_column="id")
    assert pair.pool is None and pair.absent is None and pair.notes == []


@pytest.mark.parametrize("other", [["1", "2", "30"], ["01.0", "02.0", "30.0"]])
def test_ids_that_almost_agree_are_hinted_at(read, other):
    original = "id,a\n0001,1\n0002,2\nx,3\ny,4\n"
    masked = "id,a\n" + "".join(f"{one},1\n" for one in [*other, "x", "y"])
    pair = read(original, masked, id_column="id")
    assert pair.ids == ["x", "y"]
    assert re.match(r"2 more ids of o.csv would be in m.csv without leading zeros", pair.notes[0])
    with pytest.raises(FileProblem, match=r"0 ids are in both o.csv and m.csv, .* 2 more ids of"):
        read(original.replace("x", "p").replace("y", "q"), masked, id_column="id")


def test_what_was_read_is_a_table(read):
    pair = read("age,sex\n31,m\nNA,f\n40,m\n25,f\n")
    assert console.what_was_read(pair).splitlines() == [
        "column  kind     levels  missing, original  masked  note",
        "------  -------  ------  -----------------  ------  ----",
        "age     numeric          25.0%              25.0%",
        "sex     nominal  2       0.0%               0.0%",
        "4 people are in both files.",
    ]


def test_levels_are_split():
    names = ["education=low < middle<high,size", '"a,b=1<2"']
    expected = {"education": ["low", "middle", "high"], "size": None, "a,b": ["1", "2"]}
    assert console.split_levels(names) == expected
    assert console.split_levels(None) == {}


def test_one_file_is_read_by_kind(tmp_path):
    path = write(tmp_path / "o.csv", "id,a,b,sex\n01,1,x,m\n02,,y,f\n")
    table, _, cells = read_table(path, Selection(id_column="id", columns=["a", "sex"]))
    assert list(table.columns) == ["id", "a", "b", "sex"]
    assert table["id"].tolist() == ["01", "02"]
    assert table["sex"].dtype == "category" and table["a"].dtype == float
    assert cells["a"].tolist() == ["1", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3,\n", "cannot mask missing values; there are some in 'b'"),
        ("a,b\n1,x\n3,y\n", "masks only numbers and dates; other kinds are in 'b'"),
    ],
)
def test_what_a_method_for_numbers_cannot_mask(tmp_path, text, message, capsys):
    path = write(tmp_path / "o.csv", text)
    assert cli.run(["mask", str(path), str(tmp_path / "out.csv")]) == 2
    assert message in capsys.readouterr().err


def test_a_release_as_it_comes(tmp_path):
    """A shuffled sample of 30 %, 10 % missing, Latin-1, semicolons and decimal commas."""
    rng = np.random.default_rng(0)
    n_records = 400
    original = pd.DataFrame(
        {
            "person": [f"{k:05d}" for k in range(n_records)],
            "age": rng.integers(18, 90, n_records),
            "income": np.round(rng.lognormal(10, 1, n_records), 2),
            "region": rng.choice([7, 11, 13], n_records),
            "city": rng.choice(["Köln", "Münster", "Ulm"], n_records),
            "education": rng.choice(["low", "middle", "high"], n_records),
            "born": pd.to_datetime("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 9999, n_records), "D"),
        }
    )
    masked = original.sample(frac=0.3, random_state=1)
    hidden = rng.random(masked.shape) < 0.1
    hidden[:, 0] = False
    masked = masked.mask(hidden)
    masked["born"] = masked["born"].dt.strftime("%d.%m.%Y")
    original.to_csv(tmp_path / "o.csv", index=False)
    text = masked.to_csv(index=False, sep=";", decimal=",", na_rep="NA")
    write(tmp_path / "m.csv", text, "latin-1")
    which = Selection(
        "person", nominal=["region"], ordinal={"education": ["low", "middle", "high"]}
    )
    pair = read_pair(tmp_path / "o.csv", tmp_path / "m.csv", which)
    assert list(kinds(pair).values()) == [
        *("numeric", "numeric", "nominal", "nominal", "ordinal", "numeric")
    ]
    assert len(pair.original) == 120 and len(pair.absent) == 280 and pair.pool is None
    expected = original.set_index("person").loc[pair.ids].reset_index(drop=True)
    aligned = masked.set_index("person").loc[pair.ids].reset_index(drop=True)
    aligned["born"] = pd.to_datetime(aligned["born"], format="%d.%m.%Y")
    for name in expected.columns.drop("born"):
        assert pair.original[name].tolist() == expected[name].tolist()
        present = aligned[name].notna()
        assert (pair.masked[name].notna() == present).all()
        assert pair.masked[name][present].tolist() == aligned[name][present].tolist()
    for table, found in ((expected, pair.original), (aligned, pair.masked)):
        assert found["born"].dropna().tolist() == table["born"].dropna().tolist()


def test_a_column_of_one_value_is_noted(read):
    pair = read("v,country\n1,CH\n2,CH\n3,CH\n")
    assert [one.note for one in pair.columns] == ["", "one value only: it tells nobody apart"]


def test_kept_columns_are_written_as_their_cells_were_read(tmp_path, capsys):
    columns = {
        "zip": ["01234", "00501", "NA", "10001"],
        "number": ["1.50", "1e3", "-", "-7.0"],
        "day": ["01.02.2024", "2.2.2024", "", "03.02.2024"],
        "town": ["'s-Gravenhage", "'=A1+1", "--", "none"],
        "code": ["-1.234,5", "-2,50", "?", "0,5"],
    }
    table = pd.DataFrame({"inc": [5, 9, 7, 1], **columns})
    table.to_csv(tmp_path / "o.csv", index=False)
    keep = ["--columns", "inc", "--keep", ",".join(columns), "--method", "noise", "--force"]
    assert cli.run(["mask", str(tmp_path / "o.csv"), str(tmp_path / "m.csv"), *keep]) == 0
    assert "leading zeros" not in capsys.readouterr().err
    written = pd.read_csv(tmp_path / "m.csv", dtype=str, keep_default_na=False)
    assert written[list(columns)].to_dict("list") == columns
    assert cli.run(["mask", str(tmp_path / "o.csv"), str(tmp_path / "m.parquet"), *keep]) == 0
    typed = pd.read_parquet(tmp_path / "m.parquet")
    assert typed["zip"].dropna().tolist() == ["01234", "00501", "10001"]
    assert typed["zip"].isna().tolist() == [False, False, True, False]
    assert typed["number"].dtype == float and typed["day"].dtype.kind == "M"


def test_a_kept_text_that_a_spreadsheet_would_run_is_made_harmless(tmp_path):
    path = write(tmp_path / "o.csv", "inc,t\n5,=A1+1\n9,x\n7,y\n1,-\n")
    options = ["--columns", "inc", "--keep", "t", "--method", "noise"]
    assert cli.run(["mask", str(path), str(tmp_path / "m.csv"), *options]) == 0
    written = pd.read_csv(tmp_path / "m.csv", dtype=str, keep_default_na=False)
    assert written["t"].tolist() == ["'=A1+1", "x", "y", "-"]
