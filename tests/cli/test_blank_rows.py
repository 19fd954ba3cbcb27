"""Blank rows and lines: a record that lacks all values is a record, whatever the format."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import cli
from sklearn_reclink.cli._reading import FileProblem, Selection, read_pair, read_table
from tests.cli.conftest import write

nan = np.nan


@pytest.fixture
def excel(tmp_path):
    """Write rows of cells, of which None is blank, as a sheet, and read it."""
    openpyxl = pytest.importorskip("openpyxl")

    def read_rows(*rows, **options):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "o.xlsx")
        return read_table(tmp_path / "o.xlsx", Selection(**options))[0]

    return read_rows


def test_a_blank_row_between_records_of_excel_is_a_record(excel):
    blank = [None, None]
    found = excel(blank, ["a", "b"], blank, [1, "x"], blank, blank, [2.5, "y"], blank, ["", " "])
    np.testing.assert_array_equal(found["a"], [nan, 1, nan, nan, 2.5])
    assert found["b"].isna().tolist() == [True, False, True, True, False]


def test_missing_cells_of_a_sheet_of_one_column_are_kept(excel):
    np.testing.assert_array_equal(excel(["v"], [1], [None], [3], [None])["v"], [1, nan, 3])


def test_a_blank_row_has_no_id_and_counts_in_the_numbers_of_rows(excel):
    with pytest.raises(FileProblem, match=r"row 2 of o\.xlsx has no 'id'"):
        excel(["id", "a"], [1, 5], [None, None], [3, 7], id_column="id")
    with pytest.raises(FileProblem, match=r"column 'a' of o\.xlsx has text in row 3"):
        excel(["a", "b"], [1, 5], [None, None], ["?!", 7], [3, 4], [8, 1])


def test_sheets_that_hold_nothing_or_a_name_twice_are_refused(excel):
    with pytest.raises(FileProblem, match=r"o\.xlsx is empty"):
        excel([None, " "])
    with pytest.raises(FileProblem, match="has the column 'a' more than once"):
        excel(["a", "a"], [1, 2], [3, 4])


def test_people_are_paired_alike_in_excel_and_csv(tmp_path):
    pytest.importorskip("openpyxl")
    X = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) % 7})
    Y = X + 0.25
    X.loc[5], Y.loc[15] = nan, nan
    pairs = []
    for write_table, suffix in ((pd.DataFrame.to_excel, "xlsx"), (pd.DataFrame.to_csv, "csv")):
        paths = [tmp_path / f"{name}.{suffix}" for name in "om"]
        for path, table in zip(paths, (X, Y), strict=True):
            write_table(table, path, index=False)
        pairs.append(read_pair(*paths, Selection()))
    for one, other in zip(pairs[0][:2], pairs[1][:2], strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert (
        cli.run(
            [
                "mask",
                str(tmp_path / "o.xlsx"),
                str(tmp_path / "out.csv"),
                "--method",
                "rounding",
                "--strength",
                "5",
            ]
        )
        == 0
    )
    assert len(pd.read_csv(tmp_path / "out.csv")) == 20


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n \r\n\r\n"])
def test_blank_lines_of_a_csv_file_of_one_column(tmp_path, end):
    path = write(tmp_path / "o.csv", "\n \nv\n1\n\n3\n \n4" + end)
    np.testing.assert_array_equal(read_table(path, Selection())[0]["v"], [1, nan, 3, nan, 4])


def test_blank_lines_of_a_csv_file_of_more_columns_are_no_records(tmp_path):
    path = write(tmp_path / "o.csv", "\n\na,b\n1,2\n\n,\n3,4\n\n")
    np.testing.assert_array_equal(read_table(path, Selection())[0]["a"], [1, nan, 3])


def test_a_quoted_empty_cell_at_the_end_is_a_record(tmp_path):
    pd.DataFrame({"v": [1, nan, 3, nan]}).to_csv(tmp_path / "o.csv", index=False)
    found = read_table(tmp_path / "o.csv", Selection())[0]["v"]
    np.testing.assert_array_equal(found, [1, nan, 3, nan])


def test_the_separator_that_a_first_line_for_excel_names(tmp_path):
    path = write(tmp_path / "o.csv", "sep=;\na;b\n1,5;2\n2,5;3\n")
    assert read_table(path, Selection())[0].to_dict("list") == {"a": [1.5, 2.5], "b": [2, 3]}


def test_long_cells_and_lines_broken_by_other_signs_than_line_breaks(tmp_path):
    path = write(tmp_path / "o.csv", f"a,t\n1,{'x' * 200_000}\n2,one\u2028two\x85three\n")
    assert read_table(path, Selection())[0]["a"].tolist() == [1, 2]
