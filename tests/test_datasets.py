from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from sklearn_reclink.datasets import (
    _census,
    fetch_casc_census,
    load_diabetes_microdata,
    make_microdata,
)
from sklearn_reclink.datasets._rda import read_data_frame

CENSUS_NAMES = (
    "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA WSALVAL "
    "ERNVAL"
).split()


@pytest.mark.parametrize("tail", ["light", "heavy"])
def test_microdata_are_reproducible_skewed_and_correlated(tail):
    X = make_microdata(2000, 5, tail=tail, random_state=0)
    np.testing.assert_array_equal(X, make_microdata(2000, 5, tail=tail, random_state=0))
    assert not np.array_equal(X, make_microdata(2000, 5, tail=tail, random_state=1))
    assert X.shape == (2000, 5)
    assert (X >= 0).all()
    assert (X.mean(axis=0) > np.median(X, axis=0)).all()
    ranks = X.argsort(axis=0).argsort(axis=0)
    assert (np.corrcoef(ranks, rowvar=False) > 0.1).all()


def test_light_microdata_are_positive_with_a_moderate_spread():
    X = make_microdata(5000, random_state=2)
    assert (X > 0).all()
    assert (np.log(X).std(axis=0) < 0.8).all()


@pytest.mark.parametrize("seed", range(5))
def test_heavy_microdata_resemble_business_accounts(seed):
    X = make_microdata(400, 6, tail="heavy", random_state=seed)
    for k, column in enumerate(X.T):
        assert np.log(column[column > 0]).std() >= 1.5
        assert k == 0 or (column == 0).any()
        assert len(np.unique(column)) < len(column)
    digits = X[:, ::2] / 10.0 ** np.floor(np.log10(np.maximum(X[:, ::2], 1.0)) - 1)
    np.testing.assert_allclose(digits, np.round(digits), atol=1e-9)
    np.testing.assert_array_equal(X[:, 1::2] % 10, 0)


def test_microdata_frames_have_distinct_names():
    for tail, first in (("light", "income"), ("heavy", "turnover")):
        frame = make_microdata(4, 20, tail=tail, random_state=0, as_frame=True)
        assert frame.columns.is_unique
        assert frame.columns[0] == first
        np.testing.assert_array_equal(frame, make_microdata(4, 20, tail=tail, random_state=0))


@pytest.mark.parametrize(
    "parameters", [{"n_records": 0}, {"n_features": 0}, {"tail": "fat"}, {"as_frame": 2}]
)
def test_microdata_refuse_bad_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        make_microdata(**parameters)


def test_patients_are_the_unscaled_numeric_variables_of_scikit_learn():
    patients = load_diabetes_microdata()
    source = load_diabetes(scaled=False)
    assert patients.data.shape == (442, 10)
    assert patients.feature_names == [*"age bmi bp s1 s2 s3 s4 s5 s6".split(), "progression"]
    np.testing.assert_array_equal(patients.data[:, :9], np.delete(source.data, 1, axis=1))
    np.testing.assert_array_equal(patients.data[:, 9], source.target)
    assert "442" in patients.DESCR
    frame = load_diabetes_microdata(as_frame=True).data
    pd.testing.assert_frame_equal(
        frame, pd.DataFrame(patients.data, columns=patients.feature_names)
    )


class RdaWriter:
    """Writes a data frame as R does, to test the reader on bytes of our own."""

    def __init__(self, version=2):
        self.version = version
        self.symbols = []

    def chars(self, text):
        return struct.pack(">ii", 0x40009, len(text)) + text.encode()

    def symbol(self, name):
        if name in self.symbols:
            return struct.pack(">i", (self.symbols.index(name) + 1) << 8 | 255)
        self.symbols.append(name)
        return struct.pack(">i", 1) + self.chars(name)

    def strings(self, texts):
        return struct.pack(">ii", 16, len(texts)) + b"".join(map(self.chars, texts))

    def column(self, values):
        if values.dtype.kind == "i":
            return struct.pack(">ii", 13, len(values)) + values.astype(">i4").tobytes()
        # a numeric column with an attribute of its own, "label"
        body = struct.pack(">ii", 0x200 | 14, len(values)) + values.astype(">f8").tobytes()
        return body + self.pairs({"label": lambda: self.strings(["kg"])})

    def pairs(self, writers):
        out = b""
        for name, write in writers.items():
            out += struct.pack(">i", 0x402) + self.symbol(name) + write()
        return out + struct.pack(">i", 254)

    def frame(self, columns):
        out = struct.pack(">ii", 0x300 | 19, len(columns))
        out += b"".join(self.column(values) for values in columns.values())
        n_rows = len(next(iter(columns.values())))
        row_names = struct.pack(">iiii", 13, 2, -(2**31), -n_rows)
        return out + self.pairs(
            {
                "names": lambda: self.strings(list(columns)),
                "class": lambda: self.strings(["data.frame"]),
                "row.names": lambda: row_names,
            }
        )

    def file(self, **objects):
        head = b"RDX%d\nX\n" % self.version + struct.pack(">iii", self.version, 0x40203, 0x20300)
        if self.version == 3:
            head += struct.pack(">i", 5) + b"UTF-8"
        writers = {name: (lambda c=c: self.frame(c)) for name, c in objects.items()}
        return head + self.pairs(writers)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_rda_reader_reads_what_r_writes(version, compress):
    columns = {
        "count": np.array([1, -5, 2**31 - 1]),
        "mass": np.array([0.1, -2e300, 3.0]),
        "height": np.array([1.5, 2.5, np.inf]),
    }
    read = read_data_frame(compress(RdaWriter(version).file(people=columns)))
    assert list(read) == list(columns)
    for name, values in columns.items():
        np.testing.assert_array_equal(read[name], values)


def test_rda_reader_gives_nan_for_a_missing_integer():
    read = read_data_frame(RdaWriter().file(x={"a": np.array([4, -(2**31)])}))
    np.testing.assert_array_equal(read["a"], [4.0, np.nan])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04....", "not an .rda file"),
        (RdaWriter().file(x={"a": np.arange(9)})[:-30], "in the middle"),
        (RdaWriter().file(x={"a": np.arange(3)}, y={"b": np.arange(3)}), "one object"),
        (b"RDX2\nX\n" + struct.pack(">iiii", 2, 0, 0, 6), "R type 6"),
    ],
)
def test_rda_reader_refuses(content, message):
    with pytest.raises(ValueError, match=message):
        read_data_frame(content)


@pytest.fixture
def remote(tmp_path, monkeypatch):
    """A small stand-in for the remote file, with its checksums; returns the path it lies at."""
    columns = {"AGI": np.array([10, 20, 30]), "FICA": np.array([0, 7, -3])}
    content = lzma.compress(RdaWriter().file(CASCrefmicrodata=columns))
    path = tmp_path / "remote" / "CASCrefmicrodata.rda"
    path.parent.mkdir()
    path.write_bytes(content)
    csv = b"AGI,FICA\n10,0\n20,7\n30,-3\n"
    monkeypatch.setattr(_census, "_CSV", _census._CSV._replace(checksum=sha256(csv).hexdigest()))
    monkeypatch.setattr(
        _census,
        "_RDA",
        _census._RDA._replace(checksum=sha256(content).hexdigest(), url=path.as_uri()),
    )
    return path


def test_census_is_downloaded_once_and_kept_as_csv(remote, tmp_path):
    home = tmp_path / "home"
    first = fetch_casc_census(data_home=home)
    np.testing.assert_array_equal(first.data, [[10, 0], [20, 7], [30, -3]])
    assert first.feature_names == ["AGI", "FICA"]
    assert [path.name for path in home.iterdir()] == ["casc_census.csv"]
    remote.unlink()
    again = fetch_casc_census(data_home=home, as_frame=True)
    pd.testing.assert_frame_equal(again.data, pd.DataFrame(first.data, columns=["AGI", "FICA"]))


def test_census_home_is_read_from_the_environment(remote, tmp_path, monkeypatch):
    monkeypatch.setenv("SKLEARN_RECLINK_DATA", str(tmp_path / "kept"))
    fetch_casc_census()
    assert (tmp_path / "kept" / "casc_census.csv").exists()


def test_census_absent_and_not_to_be_downloaded_names_the_remedy(tmp_path):
    with pytest.raises(OSError, match=r"casc_census.csv is not in .* place casc_census.csv"):
        fetch_casc_census(data_home=tmp_path, download_if_missing=False)


def test_census_offline_retries_then_names_the_remedy(remote, tmp_path):
    remote.unlink()
    with (
        pytest.warns(UserWarning, match="Retry downloading"),
        pytest.raises(OSError, match=r"could not be downloaded .* place casc_census.csv"),
    ):
        fetch_casc_census(data_home=tmp_path, n_retries=2, delay=0.0)
    assert not (tmp_path / "casc_census.csv").exists()


def test_census_download_with_a_wrong_checksum_is_refused(remote, tmp_path):
    remote.write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"CASCrefmicrodata.rda is \w{64}, expected \w{64}.*place"):
        fetch_casc_census(data_home=tmp_path)
    assert not (tmp_path / "casc_census.csv").exists()


def test_census_file_with_a_wrong_checksum_is_refused(tmp_path):
    (tmp_path / "casc_census.csv").write_bytes(b"AGI\n1\n")
    with pytest.raises(ValueError, match=r"casc_census.csv is \w{64}, expected 40fb9.*Delete it"):
        fetch_casc_census(data_home=tmp_path)


@pytest.mark.census
def test_census_has_the_means_and_sds_of_table_4_of_the_2015_paper(census):
    assert census.shape == (1080, 13)
    assert fetch_casc_census(download_if_missing=False).feature_names == CENSUS_NAMES
    means = [196039.8, 56222.76, 3173.135, 7544.656, 45230.84, 2597.184]
    sds = [101251.417, 24674.843, 1401.832, 4905.200, 21323.470, 1826.436]
    np.testing.assert_allclose(census[:, :6].mean(axis=0), means, rtol=1e-6)
    np.testing.assert_allclose(census[:, :6].std(axis=0, ddof=1), sds, rtol=1e-6)
