"""The display of what intruders find who know some of the variables."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_reclink.inspection import ScenarioDisplay

KNOWN, RISK, BOUND = [1, 1, 2], [0.1, 0.2, 0.6], [0.1, 0.25, 0.7]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def drawn(**more):
    return ScenarioDisplay(n_known=KNOWN, risk=RISK, bound=BOUND, **more)


def labels(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_every_set_is_a_point_at_its_risk():
    display = drawn(names=[("a",), ("b$",), ("a", "b$")]).plot()
    points = next(line for line in display.ax_.lines if line.get_marker() == "o")
    np.testing.assert_allclose(points.get_ydata(), RISK)
    np.testing.assert_array_equal(np.round(points.get_xdata()), [0, 0, 1])
    assert [text.get_text() for text in display.ax_.texts] == [r"b\$"]  # the worst of one variable
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["1", "2"]


def test_guesses_are_drawn_only_where_they_are_clearly_more():
    assert not any("guess" in one for one in labels(drawn(guessed=RISK).plot()))
    display = drawn(guessed=[0.1, 0.5, 0.9]).plot(limit=0.05)
    assert labels(display)[-2:] == ["most found with guesses among ties", "limit: 5 %"]
    assert display.ax_.get_ylim()[1] > 0.9


def test_one_set_alone_is_drawn():
    display = ScenarioDisplay(n_known=[1], risk=[0.0], bound=[0.0], names=[("a",)]).plot()
    assert not display.ax_.texts  # nobody is found
    assert display.ax_.get_ylim()[1] > 0
