"""Census reference file of the CASC project, used in the experiments of the papers.

Public-use data of the U.S. Bureau of the Census, 1995, chosen by the European project
Computational Aspects of Statistical Confidentiality (CASC) as a reference file for masking
methods. The copy downloaded is the one in the R package sdcMicro.

:Number of records: 1080
:Number of variables: 13, all numeric: AFNLWGT (final weight), AGI (adjusted gross income),
    EMCONTRB (employer contribution for health insurance), FEDTAX (federal income tax
    liability), PTOTVAL (total person income), STATETAX (state income tax liability), TAXINC
    (taxable income), POTHVAL (total other persons income), INTVAL (interest income), PEARNVAL
    (total person earnings), FICA (social security payroll deduction), WSALVAL (wage and
    salary), ERNVAL (business or farm net earnings)
:Missing values: none
"""

import os
import time
import warnings
from hashlib import sha256
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import numpy as np
from sklearn.datasets import get_data_home
from sklearn.utils import Bunch

from sklearn_reclink._sklearn_compat import Interval, validate_params
from sklearn_reclink.datasets._rda import read_data_frame
from sklearn_reclink.datasets._tables import bunch


class _KnownFile(NamedTuple):
    name: str
    checksum: str
    url: str = ""


_CSV = _KnownFile(
    "casc_census.csv", "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b"
)
_RDA = _KnownFile(
    "CASCrefmicrodata.rda",
    "147d0d7fa823a384e36c2297174560e32cdbe6e39803f22f797610fb1a2993d6",
    "https://github.com/sdcTools/sdcMicro/raw/master/data/CASCrefmicrodata.rda",
)


@validate_params(
    {
        "data_home": [str, os.PathLike, None],
        "download_if_missing": ["boolean"],
        "as_frame": ["boolean"],
        "n_retries": [Interval(Integral, 0, None, closed="left")],
        "delay": [Interval(Real, 0.0, None, closed="left")],
    },
    prefer_skip_nested_validation=True,
)
def fetch_casc_census(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Bunch:
    """Load the CASC Census file, downloading it if necessary.

    Parameters
    ----------
    data_home : str or path-like, default=None
        The folder of `casc_census.csv`. By default the environment variable
        `SKLEARN_RECLINK_DATA` names it, or else it is scikit-learn's data folder.
    download_if_missing : bool, default=True
        If False, raise an OSError when the file is not in `data_home`.
    as_frame : bool, default=False
        Return `data` as a pandas DataFrame.
    n_retries, delay : int, float, default=3, 1.0
        Number of attempts after a failed download, and seconds between them.

    Returns
    -------
    bunch : Bunch
        With `data`, an ndarray or DataFrame of shape (1080, 13), `feature_names` and `DESCR`.

    Raises
    ------
    OSError, ValueError
        If the file is missing and not downloaded; if a file does not have the SHA-256 checksum.

    Examples
    --------
    >>> from sklearn_reclink.datasets import fetch_casc_census
    >>> fetch_casc_census().data.shape  # doctest: +SKIP
    (1080, 13)
    """
    home = Path(get_data_home(data_home or os.environ.get("SKLEARN_RECLINK_DATA") or None))
    header, *rows = _content(home, download_if_missing, n_retries, delay).splitlines()
    data = np.loadtxt(rows, delimiter=",", ndmin=2)
    return bunch(data, header.split(","), __doc__, as_frame=as_frame)


def _content(home: Path, download_if_missing: bool, n_retries: int, delay: float) -> str:
    """The text of the CSV file in a folder; if it is missing, it is made from the download."""
    path = home / _CSV.name
    remedy = f"place {_CSV.name} (SHA-256 {_CSV.checksum}) in {home}."
    if path.exists():
        content = path.read_bytes()
        _verify(content, _CSV, f"{path} is another file. Delete it, or {remedy}")
    elif not download_if_missing:
        raise OSError(f"{_CSV.name} is not in {home}, and download_if_missing=False: {remedy}")
    else:
        content = _rda_to_csv(_download(remedy, n_retries, delay))
        _verify(content, _CSV, f"{_RDA.name} was not read as expected: {remedy}")
        partial = path.with_suffix(f".{os.getpid()}.part")
        partial.write_bytes(content)
        partial.replace(path)
    return content.decode("ascii")


def _verify(content: bytes, expected: _KnownFile, sentence: str) -> None:
    found = sha256(content).hexdigest()
    if found != expected.checksum:
        raise ValueError(
            f"The SHA-256 checksum of {expected.name} is {found}, expected "
            f"{expected.checksum}. {sentence}"
        )


def _download(remedy: str, n_retries: int, delay: float) -> bytes:
    for attempt in range(n_retries + 1):
        try:
            with urlopen(_RDA.url, timeout=30.0) as response:
                content = bytes(response.read())
            break
        except OSError as error:
            if attempt == n_retries:
                raise OSError(
                    f"{_RDA.name} could not be downloaded from {_RDA.url} ({error}). "
                    f"When offline, {remedy}"
                ) from error
            warnings.warn(f"Retry downloading from url: {_RDA.url}", stacklevel=3)
            time.sleep(delay)
    _verify(content, _RDA, f"The file at {_RDA.url} has changed: {remedy}")
    return content


def _rda_to_csv(content: bytes) -> bytes:
    columns = read_data_frame(content)
    rows = np.column_stack(list(columns.values())).astype(np.int64).tolist()
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode("ascii")
