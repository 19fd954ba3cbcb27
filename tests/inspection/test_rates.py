"""Displays of what an attack finds: margins, overfitting, risk against information loss."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_reclink import ChoquetLinker, EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.inspection import (
    MarginDisplay,
    OverfittingCurveDisplay,
    RiskUtilityDisplay,
    pareto_frontier,
    relative_margin,
)
from sklearn_reclink.linkers import ProbabilisticLinker
from sklearn_reclink.metrics import probabilistic_information_loss


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


@given(st.lists(st.tuples(st.floats(0, 1e308), st.floats(0, 1e308)), min_size=1, max_size=5))
def test_relative_margin_has_the_sign_of_the_difference(pairs):
    own, other = np.array(pairs).T
    margin = relative_margin(own, other)
    assert np.all(np.abs(margin) <= 1)
    np.testing.assert_array_equal(margin[own == other], 0)
    assert np.all(margin[own < other] >= 0) and np.all(margin[own > other] <= 0)


def test_relative_margin_of_negative_distances_and_of_a_lone_record():
    np.testing.assert_allclose(relative_margin([-3.0, 1.0], [-1.0, -1.0]), [0.5, -1.0])
    np.testing.assert_array_equal(relative_margin([0.0, 2.0, -2.0], [np.inf] * 3), [1, 1, 1])


def test_margins_count_the_links_of_score(frames):
    linker = EuclideanLinker().fit(*frames)
    display = MarginDisplay.from_estimator(linker, *frames)
    found = linker.link(*frames)
    assert legend(display)[0] == f"re-identified: {found.n_linked} of 60"
    assert legend(display)[1].startswith(f"lost: {60 - found.n_linked} of 60")
    assert display.legend_.get_title().get_text() == "EuclideanLinker"
    heights = np.array([bar.get_height() for bar in display.ax_.patches])
    assert heights.sum() == 60
    lefts = np.array([bar.get_x() for bar in display.ax_.patches])
    assert heights[lefts > -1e-9].sum() == found.n_linked
    np.testing.assert_array_equal(MarginDisplay.from_predictions(found).margin, display.margin)


@pytest.mark.parametrize(
    ("margin", "linked", "texts"),
    [
        ([1.0] * 5, True, ["re-identified: 5 of 5", "lost: 0 of 5"]),
        ([0.0] * 5, False, ["re-identified: 0 of 5", "lost: 5 of 5 (5 tied)"]),
        ([-0.5], False, ["re-identified: 0 of 1", "lost: 1 of 1"]),
    ],
)
def test_margins_where_all_or_none_are_linked(margin, linked, texts):
    display = MarginDisplay(margin=margin, reidentified=[linked] * len(margin)).plot()
    assert legend(display) == texts
    assert display.ax_.get_xlim() == (-1, 1)


@pytest.mark.parametrize("bins", [0, 7])
def test_bins_of_margins_are_even(bins):
    with pytest.raises(ValueError, match="even number"):
        MarginDisplay(margin=[1.0], reidentified=[True]).plot(bins=bins)


def test_overfitting_curve_seeks_every_record_in_one_pool(frames):
    display = OverfittingCurveDisplay.from_estimator(
        WeightedMeanLinker(), *frames, train_sizes=[10, 30], cv=2, baseline=EuclideanLinker()
    )
    assert legend(display) == [
        "training records",
        "test records",
        "EuclideanLinker, same test records",
    ]
    assert display.pool_size == 60
    assert display.ax_.get_ylabel() == "re-identified, in a pool of 60"
    assert display.train_scores.shape == display.test_scores.shape == (2, 2)
    train, test, _ = display.lines_
    np.testing.assert_array_equal(train.get_xdata(), [10, 30])
    np.testing.assert_allclose(test.get_ydata(), display.test_scores.mean(axis=1))
    assert display.ax_.get_ylim()[0] == 0


def test_overfitting_scores_are_those_of_linkers_fitted_by_hand(frames):
    X, Y = frames
    display = OverfittingCurveDisplay.from_estimator(
        WeightedMeanLinker(), X, Y, train_sizes=[30], cv=[(np.arange(30), np.arange(30, 60))]
    )
    found = WeightedMeanLinker().fit(X[:30], Y[:30]).link(X, Y).reidentified
    assert display.train_scores[0, 0] == found[:30].mean()
    assert display.test_scores[0, 0] == found[30:].mean()
    assert display.baseline_scores is None and display.baseline_name == "baseline"


def test_nothing_learned_nothing_overfitted(frames):
    """The curves of a distance with nothing to learn make up its rate in the whole file."""
    display = OverfittingCurveDisplay.from_estimator(
        EuclideanLinker(standardize=None), *frames, train_sizes=[30], cv=2
    )
    rate = EuclideanLinker(standardize=None).fit(*frames).score(*frames)
    np.testing.assert_allclose((display.train_scores + display.test_scores) / 2, rate)


@pytest.mark.parametrize("sizes", [[1, 30], [31], [0.01], [1.5], []])
def test_training_sizes_are_checked(frames, sizes):
    with pytest.raises(ValueError, match="numbers from 2 to 30"):
        OverfittingCurveDisplay.from_estimator(EuclideanLinker(), *frames, train_sizes=sizes, cv=2)


def test_overfitting_against_a_parameter(frames):
    display = OverfittingCurveDisplay.from_estimator(
        ChoquetLinker(random_state=0),
        *frames,
        param_name="k_additive",
        param_range=[1, None],
        cv=2,
        baseline=EuclideanLinker(),
    )
    assert display.ax_.get_xlabel() == "k_additive"
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["1", "None"]
    assert legend(display)[0] == "training records"
    assert np.all(display.baseline_scores[0] == display.baseline_scores[1])


def test_parameter_and_its_values_come_together(frames):
    with pytest.raises(ValueError, match="both param_name and param_range"):
        OverfittingCurveDisplay.from_estimator(EuclideanLinker(), *frames, param_name="n_jobs")


def test_wide_ranges_of_numbers_are_drawn_on_a_logarithmic_axis():
    scores = [[0.5], [0.6], [0.7]]
    options = {"train_scores": scores, "test_scores": scores, "pool_size": 5}
    assert OverfittingCurveDisplay(values=[1, 2, 3], **options).plot().ax_.get_xscale() == "linear"
    wide = OverfittingCurveDisplay(values=[0.01, 1, 100], **options).plot()
    assert wide.ax_.get_xscale() == "log"


points = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8)


@given(points)
def test_frontier_is_what_no_other_dominates(maskings):
    risk, loss = np.array(maskings).T
    expected = [
        not any(r <= a and s <= b and (r, s) != (a, b) for r, s in maskings) for a, b in maskings
    ]
    np.testing.assert_array_equal(pareto_frontier(risk, loss), expected)


def test_risk_is_what_the_attacker_finds(frames):
    X, Y = frames
    noisy = X + np.random.default_rng(0).normal(size=X.shape) * X.std().to_numpy()
    display = RiskUtilityDisplay.from_estimator(
        EuclideanLinker(),
        X,
        {"microaggregation": Y, "noise": noisy},
    )
    expected = [EuclideanLinker().fit(X, masked).score(X, masked) for masked in (Y, noisy)]
    np.testing.assert_allclose(display.risk, expected)
    losses = [probabilistic_information_loss(X, masked) for masked in (Y, noisy)]
    np.testing.assert_allclose(display.information_loss, losses)
    assert display.ax_.get_xlabel().startswith("probabilistic information loss")
    assert "re-identified by EuclideanLinker (pool of 60)" in display.ax_.get_ylabel()
    assert {text.get_text() for text in display.text_} == {"microaggregation", "noise"}


def test_names_of_maskings_cover_neither_each_other_nor_a_point():
    rng = np.random.default_rng(0)
    risk, loss = rng.uniform(size=(2, 12))
    names = [f"microaggregation, groups of {k}" for k in range(12)]
    display = RiskUtilityDisplay.from_predictions(risk, loss, names=names)
    display.figure_.draw_without_rendering()
    assert len(display.text_) >= 10
    boxes = [super(type(t), t).get_window_extent() for t in display.text_]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    centres = display.ax_.transData.transform(np.column_stack([loss, risk]))
    assert not any(box.contains(x, y) for box in boxes for x, y in centres)


@pytest.mark.parametrize("n_maskings", [1, 3])
def test_maskings_that_are_all_alike_are_all_on_the_frontier(n_maskings):
    display = RiskUtilityDisplay.from_predictions([0] * n_maskings, [0] * n_maskings)
    assert display.frontier_.all() and display.text_ == []
    assert legend(display) == ["on the frontier"]


@pytest.mark.parametrize(
    ("risk", "loss", "names", "message"),
    [
        ([0.1], [0.1, 0.2], None, "1 risks, 2 information losses"),
        ([0.1], [0.1], ["a", "b"], "and 2 names"),
        ([], [], None, "at least one masking"),
        ([0.1, 40.0], [0.1, 0.1], ["a", "b"], "masking 'b' has risk 40.0"),
        ([0.1, 0.2], [np.nan, 0.1], None, "masking number 0"),
    ],
)
def test_risks_and_losses_are_checked(risk, loss, names, message):
    with pytest.raises(ValueError, match=message):
        RiskUtilityDisplay.from_predictions(risk, loss, names=names)


def test_no_masking_is_refused(frames):
    with pytest.raises(ValueError, match="maskings is empty"):
        RiskUtilityDisplay.from_estimator(EuclideanLinker(), frames[0], {})


def test_displays_draw_on_the_axes_given(frames):
    _, axes = plt.subplots(ncols=2)
    linker = EuclideanLinker().fit(*frames)
    assert MarginDisplay.from_estimator(linker, *frames, ax=axes[0]).ax_ is axes[0]
    display = RiskUtilityDisplay.from_predictions([0.5], [0.5], names=["a"], ax=axes[1])
    assert display.ax_ is axes[1] and display.figure_ is axes[1].figure


def test_measure_without_a_name_is_called_information_loss(frames):
    display = RiskUtilityDisplay.from_estimator(
        EuclideanLinker(), frames[0], {"masked": frames[1]}, information_loss=lambda X, Y: 0.5
    )
    assert display.ax_.get_xlabel().startswith("information loss")


def test_margins_of_probabilistic_linkage_are_those_of_its_weights(frames):
    linker = ProbabilisticLinker().fit(*frames)
    display = MarginDisplay.from_estimator(linker, *frames)
    found = linker.link(*frames)
    np.testing.assert_array_equal(
        display.margin, relative_margin(found.own_distance, found.runner_up)
    )
    assert legend(display)[0] == f"re-identified: {found.n_linked} of 60"
