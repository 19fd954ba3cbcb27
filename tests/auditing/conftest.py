from __future__ import annotations

import pytest

from sklearn_reclink import audit
from sklearn_reclink.auditing import Audit
from tests.auditing.pairs import masked, nasty_ids, nasty_names, original


@pytest.fixture(scope="session")
def found() -> Audit:
    """All attackers on a small file with the worst names and ids."""
    X = nasty_names(original())
    return audit(X, masked(X), ids=nasty_ids(len(X)), time_limit=20.0, limit=0.2)


@pytest.fixture(scope="session")
def safe() -> Audit:
    """A file in which everybody shares a masked record with others."""
    X = original()
    return audit(X, masked(X, groups=4), attackers=["euclidean", "weighted_mean"], time_limit=10.0)
