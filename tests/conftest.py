from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.auditing import Audit, Comparison, Protection, UnalignedAudit
from sklearn_reclink.datasets import fetch_casc_census
from sklearn_reclink.masking import Microaggregation
from tests.certificates.schema import AUDIT_SCHEMA, problems


@pytest.fixture(scope="session", autouse=True)
def every_json_follows_the_schema():
    """Whatever a test makes of an audit or a comparison is compared with the published schema."""
    with pytest.MonkeyPatch.context() as patch:
        for made in (Audit, Comparison, Protection, UnalignedAudit):
            patch.setattr(made, "to_dict", checked(made.to_dict))
        yield


def checked(to_dict):
    def made(self):
        data = to_dict(self)
        assert problems(data, AUDIT_SCHEMA) == [], "describe new fields in docs/audit.schema.json"
        return data

    return made


@pytest.fixture(scope="session")
def census() -> np.ndarray:
    """The CASC Census file, (1080, 13); tests that ask for it are skipped where it is absent."""
    try:
        return fetch_casc_census(download_if_missing=False).data
    except OSError as error:
        pytest.skip(f"the Census file is not here: {error}")


@pytest.fixture
def files():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1, 10, 100, 1000] + 5
    return X, Microaggregation(groups=[[0, 1], [2, 3]], k=3).fit_transform(X)


@pytest.fixture
def frames(files):
    names = ["age", "income", "tax", "hours"]
    return tuple(pd.DataFrame(file, columns=names) for file in files)
