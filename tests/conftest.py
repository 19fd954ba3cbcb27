from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink.datasets import fetch_casc_census


@pytest.fixture(scope="session")
def census() -> np.ndarray:
    """The CASC Census file, (1080, 13); tests that ask for it are skipped where it is absent."""
    try:
        return fetch_casc_census(download_if_missing=False).data
    except OSError as error:
        pytest.skip(f"the Census file is not here: {error}")
