"""The display of recall and precision by margin."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_reclink import EuclideanLinker
from sklearn_reclink.inspection import LinkageCurveDisplay
from sklearn_reclink.metrics import linkage_curve


def test_curves_are_those_of_the_two_intruders(frames):
    X, Y = frames
    linker = EuclideanLinker().fit(X[:40], Y[:40], pool=Y[:50])
    options = {"pool": Y[:50], "absent": X[50:]}
    display = LinkageCurveDisplay.from_estimator(linker, X[:40], Y[:40], **options)
    curve = linkage_curve(linker, X[:40], Y[:40], **options)
    for line, claims in zip(display.lines_, (curve.known, curve.unknown), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), claims.recall)
        np.testing.assert_array_equal(line.get_ydata(), claims.precision)
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["knows who is in the release", "does not know (10 absent)"]
    assert display.legend_.get_title().get_text() == "EuclideanLinker intruder"
    assert display.ax_.get_xlabel() == "recall: re-identified\nin a pool of 50"
    assert display.ax_.get_xlim() == display.ax_.get_ylim() == (0, 1)


def test_one_curve_where_nobody_is_absent(frames):
    linker = EuclideanLinker().fit(*frames)
    _, ax = plt.subplots(figsize=(3, 2))
    display = LinkageCurveDisplay.from_result(linkage_curve(linker, *frames), ax=ax)
    assert len(display.lines_) == 1 and display.ax_ is ax
    assert display.legend_.get_title().get_text() == "intruder"
    display.figure_.canvas.draw()
