"""Files are read as they come: layout, numbers, dates, missing values, kinds, ids."""

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

nan = np.nan


def write(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


@pytest.fixture
def read(tmp_path):
    """Read two texts, by default twice the same, as CSV files."""

    def read_texts(original, masked=None, encoding="utf-8", **options):
        first = write(tmp_path / "o.csv", original, encoding)
        second = write(tmp_path / "m.csv", original if masked is None else masked, encoding)
        return read_pair(first, second, Selection(**options))

    return read_texts


def column(*cells):
    """A CSV file of one column; cells are quoted."""
    return "\n".join(["v", *(f'"{cell}"' for cell in cells)]) + "\n"


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
        "only o.csv has, and so left out: b",
        "only m.csv has, and so left out: d",
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
    for row, n_cells in (("3", 1), ("3,4,5", 3)):
        with pytest.raises(FileProblem, match=f"o.csv is .* row 2 has {n_cells} cells, the header"):
            read(f"a,b\n1,2\n{row}\n5,6\n")
    with pytest.raises(FileProblem, match="its quotes are wrong before line 3"):
        read('a,b\n1,2\n3,"4\n')


@pytest.mark.parametrize("name", ["x.xls", "x.sav", "x.dta", "x.ods", "x.csv.gz"])
def test_other_formats_get_a_clear_no(tmp_path, name):
    write(tmp_path / name, b"a")
    with pytest.raises(FileProblem, match="save it as CSV, Parquet or Excel"):
        read_table(tmp_path / name, Selection())


# Numbers.


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", "2.5", "-3e2", "+.5"], [1, 2.5, -300, 0.5]),
        (["1,5", "2,25"], [1.5, 2.25]),
        (["1.234,5", "1.234.567,25"], [1234.5, 1234567.25]),
        (["1,234.5", "12,345,678"], [1234.5, 12345678]),
        (["1.234", "0,5"], [1234, 0.5]),
        (["1,234", "0.5"], [1234, 0.5]),
        (["1,234", "1234,5"], [1.234, 1234.5]),
        (["0,234", "0,123"], [0.234, 0.123]),
        (["1.234", "2.345"], [1.234, 2.345]),
        (["1 234,5", "2\N{NO-BREAK SPACE}345,5"], [1234.5, 2345.5]),
        (["1'234.50", "9'999'999.25"], [1234.5, 9999999.25]),
        (["1,234,567", "2,345,678"], [1234567, 2345678]),
        (["1 234", "2 345"], [1234, 2345]),
        (["0.1", "123456789.123456789"], [0.1, 123456789.123456789]),
    ],
)
def test_decimal_signs_and_thousands(read, cells, numbers):
    pair = read(column(*cells))
    assert pair.original["v"].dtype == np.float64
    assert pair.original["v"].tolist() == numbers


def test_files_may_have_different_decimal_signs(read):
    pair = read(column("1,5", "2,5"), column("1.5", "2.5"))
    assert pair.original.equals(pair.masked)


def test_an_ambiguous_decimal_sign_follows_the_file_or_is_asked_for(read):
    rows = '"a";"b"\n"1,234";"1,5"\n"2,345";"2,5"\n'
    assert read(rows).original["a"].tolist() == [1.234, 2.345]
    assert read(rows.replace("1,5", "1.5").replace("2,5", "2.5")).original["a"].tolist() == [
        1234,
        2345,
    ]
    ambiguous = column("1,234", "2,345")
    with pytest.raises(FileProblem, match=r"'v' of o.csv .* decimals or thousands.*--decimal \."):
        read(ambiguous)
    with pytest.raises(FileProblem, match="decimals or thousands"):
        read('"a";"b"\n"1.234";"1"\n"2.345";"2"\n')
    assert read(ambiguous, decimal=".").original["v"].tolist() == [1234, 2345]
    assert read(ambiguous, decimal=",").original["v"].tolist() == [1.234, 2.345]


@pytest.mark.parametrize(
    "sign",
    ["NA", "N/A", "n/a", "#N/A", "", ".", "NULL", "null", "NaN", "nan", "-", "?", "None", " "],
)
def test_signs_of_missing_values(read, sign):
    pair = read(f'n,t\n1.5,"x"\n"{sign}","{sign}"\n2,y\n')
    np.testing.assert_array_equal(pair.original["n"], [1.5, nan, 2])
    assert pair.original["t"].isna().tolist() == [False, True, False]
    assert [one.missing_masked for one in pair.columns] == [1 / 3, 1 / 3]
    assert kinds(pair) == {"n": "numeric", "t": "nominal"}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1", "2", "4711x", "3"], "column 'v' of o.csv has text in row 3: .*--nominal v"),
        (["1", "inf", "3"], "is infinite in row 2"),
        (["1", "9007199254740993", "3"], r"whole number beyond 2\^53 in row 2"),
        (["2024-01-01", "2024-01-02", "4711x"], "has no date in row 3"),
        (["2024-01-01", "2024-01-02T10:00Z"], "with and without a time zone"),
        (["13/01/2024", "01/13/2024"], "with the day first and with the month first"),
    ],
)
def test_cells_that_do_not_fit_their_column_are_named_by_row(read, cells, message):
    with pytest.raises(FileProblem, match=message) as caught:
        read(column(*cells))
    assert "4711" not in str(caught.value)


def test_files_of_different_types_are_told_apart(read):
    with pytest.raises(FileProblem, match=r"'v' holds numbers in o.csv and text in m.csv: .*--nom"):
        read(column("21", "35"), column("20-29", "30-39"))
    pair = read(column("21", "35"), column("20-29", "30-39"), nominal=["v"])
    assert kinds(pair) == {"v": "nominal"}


# Dates.


@pytest.mark.parametrize(
    ("cells", "day"),
    [
        (["2024-02-01", "2024-2-13"], (2024, 2, 1)),
        (["2024/02/01", "2024/02/13"], (2024, 2, 1)),
        (["01.02.2024", "02.03.2024"], (2024, 2, 1)),
        (["01/02/2024", "13/02/2024"], (2024, 2, 1)),
        (["01/02/2024", "02/13/2024"], (2024, 1, 2)),
        (["1-2-2024", "13-02-2024"], (2024, 2, 1)),
        (["01FEB2024", "13-MAR-2024"], (2024, 2, 1)),
        (["2024-02-01 00:00:00", "2024-02-01T13:45"], (2024, 2, 1)),
        (["05/05/2024", "06/06/2024"], (2024, 5, 5)),
    ],
)
def test_dates(read, cells, day):
    pair = read(column(*cells, "NA"))
    assert pair.original["v"].dtype.kind == "M"
    assert pair.original["v"][0] == pd.Timestamp(*day) and pd.isna(pair.original["v"][2])
    assert kinds(pair) == {"v": "numeric"}


def test_times_and_zones(read):
    pair = read(column("2024-02-01T10:00:00.5+02:00", "2024-02-01T10:00Z"))
    assert pair.original["v"][0] == pd.Timestamp("2024-02-01T08:00:00.5Z")
    assert pair.original["v"][1] == pd.Timestamp("2024-02-01T10:00Z")


def test_day_and_month_are_told_by_the_other_file_or_the_user(read):
    ambiguous = column("01/02/2024", "03/04/2024")
    for other in (column("13/02/2024", "01/02/2024"), ambiguous):
        for texts in ((ambiguous, other), (other, ambiguous)):
            if other is ambiguous:
                with pytest.raises(FileProblem, match="--dates day-first or --dates month-first"):
                    read(*texts)
            else:
                assert pd.Timestamp(2024, 2, 1) in set(read(*texts).original["v"])
    with pytest.raises(FileProblem, match="cannot be told apart"):
        read(ambiguous, column("2024-02-01", "2024-04-03"))
    for told, day in (("day-first", (2024, 2, 1)), ("month-first", (2024, 1, 2))):
        assert read(ambiguous, dates=told).original["v"][0] == pd.Timestamp(*day)
    with pytest.raises(FileProblem, match="not 'american'"):
        read(ambiguous, dates="american")


# Kinds.


def test_categories_are_those_of_both_files(read):
    pair = read("sex,old\nm,TRUE\nf,False\n", "sex,old\nm,true\nx,NA\n")
    for table in (pair.original, pair.masked):
        assert list(table["sex"].cat.categories) == ["f", "m", "x"]
        assert list(table["old"].cat.categories) == [False, True]
    notes = {one.name: one.note for one in pair.columns}
    assert notes["sex"] == "1 only in the original, 1 only in the masked file"
    assert [one.n_levels for one in pair.columns] == [3, 2]


def test_codes_are_told(read):
    pair = read("r\n1\n02\n10\n", "r\n1.0\nNA\n2.0\n", nominal=["r"])
    assert list(pair.original["r"].cat.categories) == [1, 2, 10]
    assert pair.original["r"].tolist() == [1, 2, 10]
    assert learn_variables(pair.original, pair.masked).kinds == ("nominal",)
    pair = read("r\n1\n01\n10\n", nominal=["r"])
    assert list(pair.original["r"].cat.categories) == ["01", "1", "10"]
    pair = read("r\n1\nA\n10\n", nominal=["r"])
    assert list(pair.original["r"].cat.categories) == ["1", "10", "A"]
    huge = read("r\n9007199254740992\n9007199254740993\n", nominal=["r"])
    assert huge.columns[0].n_levels == 2


def test_order_is_told(read):
    levels = ["low", "middle", "high"]
    pair = read("e,s\nhigh,10\nlow,9\n", "e,s\nNA,9\nlow,11\n", ordinal={"e": levels, "s": None})
    assert list(pair.original["e"].cat.categories) == levels
    assert list(pair.masked["s"].cat.categories) == [9, 10, 11]
    variables = learn_variables(pair.original, pair.masked)
    assert variables.kinds == ("ordinal", "ordinal")
    assert variables.categories == (levels, [9, 10, 11])
    assert read("s\n1\n3\n", ordinal={"s": ["3", "2", "1"]}).original["s"].cat.codes.tolist() == [
        2,
        0,
    ]
    with pytest.raises(FileProblem, match=r"holds text, which has no order.*'e=low<middle<high'"):
        read("e\nhigh\nlow\n", ordinal={"e": None})
    with pytest.raises(FileProblem, match=r"'e' of m.csv has a value in row 2 .* low<high: add"):
        read("e\nhigh\nlow\n", "e\nhigh\n4711\n", ordinal={"e": ["low", "high"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"nominal": ["z"]},
            "--nominal names 'z', which is not among the columns in use: 'a', 'b'",
        ),
        ({"ordinal": {"a": None}, "columns": ["b"]}, "--ordinal names 'a', which is not among"),
        ({"nominal": ["a"], "ordinal": {"a": None}}, "'a' is in both --nominal and --ordinal"),
    ],
)
def test_what_is_told_must_be_there(read, options, message):
    with pytest.raises(FileProblem, match=message):
        read("a,b\n1,2\n3,4\n", **options)


def test_notes_on_codes_and_free_text(read):
    lines = [f"{k % 4},name {k},{k % 7:02d}" for k in range(200)]
    pair = read("\n".join(["region,name,zip", *lines]))
    notes = {one.name: one.note for one in pair.columns}
    assert notes["region"] == "few whole numbers: if they are codes, use --nominal region"
    assert notes["name"] == "nearly all values differ: names or free text?"
    assert pair.notes == [
        "'zip' has leading zeros in o.csv and m.csv and is read as a number: if it is a code, use "
        "--nominal zip"
    ]


def test_mixtures_of_mostly_text_are_text(read):
    pair = read(column("m", "f", "9", "m"))
    assert list(pair.original["v"].cat.categories) == ["9", "f", "m"]


def test_a_column_without_values(read):
    pair = read("a,b\n1,x\n2,y\n", "a,b\n1,NA\n2,NA\n")
    assert pair.masked["b"].isna().all() and pair.columns[1].kind == "nominal"
    assert pair.columns[1].note == "no value in the masked file"


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
    np.testing.assert_array_equal(pair.original["age"], [31, nan, 40])
    np.testing.assert_array_equal(pair.original["pay"], [1.5, 2.25, nan])
    assert pair.original["sex"].isna().tolist() == [False, True, False]
    monkeypatch.setattr("sklearn_reclink.cli._tables.find_spec", lambda name: None)
    with pytest.raises(FileProblem, match=r"need openpyxl: pip install 'sklearn-reclink\[excel\]'"):
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
        "2 people are in both files, 1 masked records are not in the other, 2 people of the "
        "original file are not in the other."
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
    with pytest.raises(FileProblem, match=r"0 ids of o.csv are in m.csv: .* 2 more ids of"):
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
    table = read_table(path, Selection(id_column="id", columns=["a", "sex"]))
    assert list(table.columns) == ["id", "a", "b", "sex"]
    assert table["id"].tolist() == ["01", "02"]
    assert table["sex"].dtype == "category" and table["a"].dtype == float


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3,\n", "column 'b' of o.csv has a missing value in row 2"),
        ("a,b\n1,x\n3,y\n", "column 'b' of o.csv has text, dates or categories"),
        ("a,b\n1,2024-01-01\n3,2024-01-01\n", "column 'b' of o.csv has text, dates or categories"),
    ],
)
def test_what_a_method_for_numbers_cannot_mask(tmp_path, text, message, capsys):
    path = write(tmp_path / "o.csv", text)
    assert cli.run(["mask", str(path), str(tmp_path / "out.csv")]) == 2
    assert message in capsys.readouterr().err
