"""The figures of secrets and of nearest records show the numbers of the measures."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink.inspection import AttributeDisclosureDisplay, NearestRecordsDisplay
from sklearn_reclink.metrics import AttributeDisclosure, SuccessRate, nearest_records

pytest.importorskip("matplotlib")


def test_points_stand_at_the_shares_with_their_intervals():
    rates = SuccessRate(80, 100), SuccessRate(40, 100), SuccessRate(50, 100)
    results = {
        "ill": AttributeDisclosure(*rates, "absent", 1),
        "$x$": AttributeDisclosure(*rates[:2], None, None, 5),
    }
    display = AttributeDisclosureDisplay.from_results(results)
    (line, _, (bars,)) = display.points_["attack"]
    assert line.get_xdata().tolist() == [0.8, 0.8]
    ends = bars.get_segments()[0][:, 0]
    np.testing.assert_allclose(ends, rates[0].interval)
    assert display.points_["control"][0].get_xdata().tolist() == [0.5]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["ill", r"\$x\$"]


def test_curves_are_the_cumulated_shares():
    X, Y = np.array([[0.0], [3.0], [4.0], [9.0]]), np.array([[0.0], [1.0], [9.5]])
    found = nearest_records(X, Y, np.array([[1.0], [20.0]]))
    display = NearestRecordsDisplay.from_result(found)
    originals, holdout = display.lines_
    edges = np.append(0.0, np.sort(found.distance))
    np.testing.assert_allclose(originals.get_xdata(), edges)
    np.testing.assert_allclose(originals.get_ydata(), [0.25, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(holdout.get_ydata(), [0.5, 0.5, 1.0])
    alone = NearestRecordsDisplay.from_files(X, Y)
    assert len(alone.lines_) == 1 and len(alone.legend_.get_texts()) == 1
