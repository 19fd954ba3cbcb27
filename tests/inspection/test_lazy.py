"""Displays without drawing: matplotlib waits, and its absence is said."""

import subprocess
import sys

import pytest

from sklearn_reclink import inspection
from sklearn_reclink.inspection import WeightsDisplay


def test_matplotlib_waits_until_something_is_drawn():
    code = "import sys, sklearn_reclink.inspection; print('matplotlib' in sys.modules)"
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert answer.strip() == "False"


def test_absence_of_matplotlib_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"WeightsDisplay\.plot requires matplotlib"):
        WeightsDisplay(weights=[0.5, 0.5]).plot()


def test_everything_public_is_documented():
    assert sorted(inspection.__all__) == inspection.__all__
    assert all(">>>" in getattr(inspection, name).__doc__ for name in inspection.__all__)
