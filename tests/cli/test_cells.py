"""What cells of text mean: numbers, missing values, dates and categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.cli import run
from sklearn_reclink.cli._reading import FileProblem
from sklearn_reclink.data.kinds import learn_variables

nan = np.nan


def column(*cells):
    """A CSV file of one column; cells are quoted."""
    return "\n".join(["v", *(f'"{cell}"' for cell in cells)]) + "\n"


def kinds(pair):
    return {one.name: one.kind for one in pair.columns}


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


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_points_of_thousands_are_asked_for_whatever_separates_the_cells(read, separator):
    """A wrong guess would shrink 1.234 below 950 and hide who is at risk."""
    rows = "a,b\n950,1\n1.234,2\n12.345,3\n".replace(",", separator)
    with pytest.raises(FileProblem, match=r"'a' of o.csv .* decimals or thousands.*--decimal \."):
        read(rows)
    assert read(rows, decimal=",").original["a"].tolist() == [950, 1234, 12345]
    assert read(rows, decimal=".").original["a"].tolist() == [950, 1.234, 12.345]
    clear = rows.replace("12.345", "0.345")
    assert read(clear).original["a"].tolist() == [950, 1.234, 0.345]


def test_three_decimals_everywhere_are_decimals_between_commas_only(read):
    rows = "a,b\n1.234,1\n12.345,2\n"
    assert read(rows).original["a"].tolist() == [1.234, 12.345]
    with pytest.raises(FileProblem, match="decimals or thousands"):
        read(rows.replace(",", "\t"))


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


def test_a_number_in_free_text_is_no_decimal(read):
    assert kinds(read(column("1,234", "a b", "c d"))) == {"v": "nominal"}


def test_a_blank_line_is_a_missing_value_where_it_may_be_one(read):
    np.testing.assert_array_equal(read("v\n1\n\n3\n").original["v"], [1, nan, 3])
    assert read("\na,b\n\n1,2\n\n3,4\n\n").original["b"].tolist() == [2, 4]


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


@pytest.mark.parametrize(
    "cells", [["01.02.10", "28.11.99"], ["1/2/10", "2/28/99"], ["01FEB10", "NA"], ["1-2-10 10:00"]]
)
def test_dates_with_two_digit_years_are_no_categories(read, cells):
    """As categories, near dates would be as far apart as distant ones, and the risk too low."""
    texts = column(*cells, "30.12.05")
    with pytest.raises(
        FileProblem, match=r"'v' of o.csv seems to hold dates with two-digit years.*four d"
    ):
        read(texts)
    assert kinds(read(texts, nominal=["v"])) == {"v": "nominal"}
    assert kinds(read(column("1.22.333", "10-20", "1.13.14", "x"))) == {"v": "nominal"}


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
    with pytest.raises(FileProblem, match="has no date in row 1"):
        read(column("01/13/2024", "02/13/2024"), dates="day-first")
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
        ({"ordinal": {"a": ["low", "high"]}}, "'a' holds numbers, but the levels .* are text"),
        ({"ordinal": {"a": ["1", "3", "1.0"]}}, "names a level of 'a' twice"),
        ({"decimal": ";"}, "--decimal is a point or a comma, not ';'"),
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
        "--nominal zip; if it identifies records, use --id zip"
    ]


def test_mixtures_of_mostly_text_are_text(read):
    pair = read(column("m", "f", "9", "m"))
    assert list(pair.original["v"].cat.categories) == ["9", "f", "m"]


def test_a_column_without_values(read):
    pair = read("a,b\n1,x\n2,y\n", "a,b\n1,NA\n2,NA\n")
    assert pair.masked["b"].isna().all() and pair.columns[1].kind == "nominal"
    assert pair.columns[1].note == "no value in the masked file"


def test_the_word_none_in_a_category_is_told_with_its_count_and_the_remedy(read):
    pair = read(column("None", "college", "none", "school"), column("college", "NIL", "NA", "x"))
    (note,) = pair.notes
    assert note.startswith("'v' has the word none (2 in o.csv, 1 in m.csv)")
    assert "write it with another word in all files" in note
    assert pair.original["v"].isna().sum() == 2
    assert read(column("none", "1.5", "2.5")).notes == []


def test_the_word_none_is_told_before_it_is_released_as_missing(tmp_path, capsys):
    source, target = tmp_path / "o.csv", tmp_path / "m.csv"
    cells = ["college", "None", "school"] * 20
    pd.DataFrame({"school": cells, "other": cells}).to_csv(source, index=False)
    assert run(["mask", str(source), str(target), "--method", "pram", "--columns", "school"]) == 0
    told = capsys.readouterr().err
    assert "'school' has the word none (20 in o.csv)" in told and "'other'" not in told
