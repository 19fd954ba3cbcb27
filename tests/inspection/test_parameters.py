"""Displays of what a linker learned: weights, interactions, the lattice."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sklearn_reclink.capacity import (
    additive_capacity,
    interaction_matrix,
    lattice_edges,
    mobius_to_capacity,
    shapley,
    small_subsets,
    subset_sizes,
)
from sklearn_reclink.inspection import CapacityLatticeDisplay, InteractionDisplay, WeightsDisplay
from sklearn_reclink.inspection._lattice_layout import choose_subsets, cover_edges, place
from sklearn_reclink.inspection._weights import format_weight, largest_first, rank_names
from sklearn_reclink.inspection.drawing import as_label, shorten, text_colour
from sklearn_reclink.linkers import (
    BilinearLinker,
    ChoquetLinker,
    EuclideanLinker,
    MahalanobisLinker,
    OWALinker,
    ProbabilisticLinker,
    WeightedMeanLinker,
)


@pytest.fixture(scope="module")
def choquet(frames):
    return ChoquetLinker(random_state=0).fit(*frames)


def clipped(figure, texts):
    """Texts that reach beyond the figure."""
    figure.draw_without_rendering()
    window = figure.bbox
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return [
        box
        for box in boxes
        if box.x0 < window.x0 - 1
        or box.x1 > window.x1 + 1
        or box.y0 < window.y0 - 1
        or box.y1 > window.y1 + 1
    ]


def overlapping(figure, texts):
    figure.draw_without_rendering()
    boxes = [
        (text.get_bbox_patch() or text).get_window_extent(figure.canvas.get_renderer())
        for text in texts
    ]
    return [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]


def test_weights_are_shown_heaviest_first_under_their_names(frames):
    linker = WeightedMeanLinker().fit(*frames)
    display = WeightsDisplay.from_estimator(linker)
    order = np.argsort(-linker.weights_, kind="stable")
    widths = [bar.get_width() for bar in display.bars_]
    np.testing.assert_array_equal(widths, linker.weights_[order])
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == [as_label(frames[0].columns[k]) for k in order]
    assert display.figure_ is display.ax_.figure
    assert not clipped(display.figure_, display.ax_.get_yticklabels())


def test_weights_of_a_capacity_are_shapley_values(choquet):
    display = WeightsDisplay.from_estimator(choquet)
    np.testing.assert_array_equal(display.weights, shapley(choquet.capacity_))
    assert display.ax_.get_xlabel() == "Shapley value"


def test_weights_of_ranks_keep_their_order(frames):
    linker = OWALinker(random_state=0).fit(*frames)
    display = WeightsDisplay.from_estimator(linker)
    np.testing.assert_array_equal([bar.get_width() for bar in display.bars_], linker.weights_)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == ["largest difference", "2nd largest", "3rd largest", "smallest"]


def test_names_of_ranks():
    assert rank_names(1) == ["largest difference"]
    assert rank_names(2) == ["largest difference", "smallest"]
    assert rank_names(24)[10:13] == ["11th largest", "12th largest", "13th largest"]
    assert rank_names(24)[21:] == ["22nd largest", "23rd largest", "smallest"]


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_parameters_with_units_are_shown_without(frames, unit):
    X, Y = (frame.to_numpy() * [unit, 1, 1, 1] for frame in frames)
    mahalanobis = MahalanobisLinker().fit(X, Y)
    expected = MahalanobisLinker().fit(*(frame.to_numpy() for frame in frames))
    np.testing.assert_allclose(
        InteractionDisplay.from_estimator(mahalanobis).matrix,
        InteractionDisplay.from_estimator(expected).matrix,
        rtol=1e-6,
    )
    euclidean = EuclideanLinker(standardize=None).fit(X, Y)
    variances = Y.var(axis=0)
    np.testing.assert_allclose(
        WeightsDisplay.from_estimator(euclidean).weights, variances / variances.sum()
    )


def test_many_weights_end_in_their_sum():
    weights = np.arange(1.0, 31) / 465
    bars, labels = largest_first(weights, [f"x{k}" for k in range(30)], 10)
    assert len(bars) == len(labels) == 10
    assert labels[0] == "x29" and labels[-1] == "21 others, summed"
    assert bars.sum() == pytest.approx(1)
    assert len(WeightsDisplay(weights=weights).plot(max_features=10).bars_) == 10


def test_negative_weights_are_shown():
    display = WeightsDisplay(weights=[1.0, -0.5]).plot()
    assert display.ax_.get_xlim()[0] < -0.5


@pytest.mark.parametrize(
    ("weight", "text"),
    [(0.0, "0"), (0.25, "0.250"), (0.0001, "<0.001"), (-0.0001, ">-0.001"), (1.0, "1.000")],
)
def test_a_small_weight_does_not_read_as_none(weight, text):
    assert format_weight(weight) == text


def test_interactions_of_a_capacity_fill_the_triangle(choquet, frames):
    display = InteractionDisplay.from_estimator(choquet)
    np.testing.assert_array_equal(display.matrix, interaction_matrix(choquet.capacity_))
    assert sorted(display.text_) == [(i, j) for i in range(4) for j in range(i + 1)]
    shown = display.image_.get_array()
    np.testing.assert_array_equal(shown.mask, ~np.tri(4, k=-1, dtype=bool))
    low, high = display.image_.get_clim()
    assert low == -high
    labels = display.ax_.get_yticklabels()
    assert [text.get_text() for text in labels] == [as_label(n, 20) for n in frames[0].columns]
    scale = display.colorbar_.ax.yaxis.label
    assert not clipped(display.figure_, [scale, *labels, *display.ax_.get_xticklabels()])


@pytest.mark.parametrize("n_features", [1, 2, 13, 40])
def test_interactions_of_any_number_of_variables(n_features):
    names = [f"a name as long as can be, {k}" for k in range(n_features)]
    display = InteractionDisplay(matrix=np.eye(n_features), feature_names=names).plot()
    assert bool(display.text_) == (n_features <= 16)
    assert (display.colorbar_ is None) == (n_features == 1)
    ticks = [*display.ax_.get_yticklabels(), *display.ax_.get_xticklabels()]
    assert not clipped(display.figure_, ticks)


def test_matrix_of_a_bilinear_form_is_shown_relative_to_its_largest_entry(frames):
    linker = BilinearLinker().fit(*frames)
    display = InteractionDisplay.from_estimator(linker)
    assert not clipped(display.figure_, [display.colorbar_.ax.yaxis.label])
    matrix = display.matrix
    np.testing.assert_allclose(matrix, linker.matrix_ / np.abs(linker.matrix_).max())
    np.testing.assert_allclose(WeightsDisplay.from_estimator(linker).weights, np.diag(matrix))


def test_whole_lattice_of_few_variables(choquet):
    display = CapacityLatticeDisplay.from_estimator(choquet, labels="dyadic")
    np.testing.assert_array_equal(display.subsets_, np.arange(16))
    assert len(display.lines_.get_segments()) == len(lattice_edges(4))
    texts = [text.get_text() for text in display.text_]
    assert texts[0b0001] == f"1000\n({choquet.capacity_[0b0001]:.2f})"  # the first variable first
    assert texts[-1] == "1111\n(1.00)"
    heights = [text.get_position()[1] for text in display.text_]
    np.testing.assert_array_equal(heights, subset_sizes(4))
    assert "all 16 subsets" in display.ax_.get_xlabel()


@pytest.mark.parametrize("n_features", [1, 2, 3, 4, 5, 6, 8, 13])
@pytest.mark.parametrize("labels", [None, "dyadic"])
def test_boxes_of_a_lattice_do_not_overlap(n_features, labels):
    mobius = np.zeros(2**n_features)
    subsets = small_subsets(n_features, 2)
    mobius[subsets] = np.random.default_rng(0).dirichlet(np.ones(len(subsets)))
    display = CapacityLatticeDisplay(capacity=mobius_to_capacity(mobius)).plot(labels=labels)
    assert len(display.subsets_) <= 32
    assert not overlapping(display.figure_, display.text_)
    assert not clipped(display.figure_, display.text_)


def test_names_on_a_lattice_do_not_overlap():
    names = ["household", "income", "tax", "age"]
    capacity = additive_capacity([0.1, 0.2, 0.3, 0.4])
    display = CapacityLatticeDisplay(capacity=capacity, feature_names=names).plot(labels="names")
    assert display.text_[0b0101].get_text() == "household\ntax\n(0.40)"
    assert not overlapping(display.figure_, display.text_)


def test_threshold_leaves_the_subsets_that_reach_it_and_the_whole():
    capacity = additive_capacity([0.5, 0.3, 0.1, 0.1])
    for threshold in (0.0, 0.35, 0.8, 1.0, 2.0):
        expected = np.flatnonzero((capacity >= threshold) | (np.arange(16) == 15))
        chosen = choose_subsets(capacity, "capacity", threshold, 16)
        np.testing.assert_array_equal(chosen, expected)
    np.testing.assert_array_equal(choose_subsets(capacity, "mobius", None, 16), [1, 2, 4, 8, 15])
    np.testing.assert_array_equal(choose_subsets(capacity, "mobius", None, 3), [1, 2, 15])


def test_threshold_of_the_2012_paper_is_said_in_the_caption():
    capacity = additive_capacity([0.5, 0.3, 0.1, 0.05, 0.05])
    display = CapacityLatticeDisplay(capacity=capacity).plot(threshold=0.5)
    assert "capacity of at least 0.5" in display.ax_.get_xlabel()
    assert f"{len(display.subsets_)} of 32 subsets" in display.ax_.get_xlabel()


def test_edges_of_a_part_of_a_lattice_skip_what_is_not_drawn():
    subsets = np.array([0b000, 0b001, 0b110, 0b111])
    edges = {tuple(edge) for edge in cover_edges(subsets).tolist()}
    assert edges == {(0, 1), (0, 2), (1, 3), (2, 3)}


@pytest.mark.parametrize("n_features", range(1, 7))
def test_cover_of_the_whole_lattice_is_the_lattice(n_features):
    edges = cover_edges(np.arange(2**n_features))
    assert sorted(edges.tolist()) == sorted(lattice_edges(n_features).tolist())
    x, y, sizes = place(np.arange(2**n_features), edges)
    assert len({*zip(x.round(6), y.round(6), strict=True)}) == 2**n_features
    assert sizes == list(range(n_features + 1))


@pytest.mark.parametrize("display", [WeightsDisplay, InteractionDisplay, CapacityLatticeDisplay])
def test_linker_must_be_fitted(display):
    with pytest.raises(NotFittedError):
        display.from_estimator(ChoquetLinker())


def test_linker_without_the_parameters_is_refused(frames):
    linker = EuclideanLinker().fit(*frames)
    with pytest.raises(ValueError, match="capacity_ or matrix_, and EuclideanLinker has none"):
        InteractionDisplay.from_estimator(linker)
    with pytest.raises(ValueError, match="shows capacity_, and EuclideanLinker has none"):
        CapacityLatticeDisplay.from_estimator(linker)


def test_number_of_names_must_fit(frames):
    linker = EuclideanLinker().fit(*frames)
    with pytest.raises(ValueError, match="2 names for 4 variables"):
        WeightsDisplay.from_estimator(linker, feature_names=["a", "b"])


@pytest.mark.parametrize(
    "options", [{"labels": "numbers"}, {"by": "shapley"}, {"max_nodes": 0}], ids=str
)
def test_unknown_options_of_a_lattice_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        CapacityLatticeDisplay(capacity=[0, 1]).plot(**options)


def test_matrix_must_be_square():
    with pytest.raises(ValueError, match="must be square"):
        InteractionDisplay(matrix=np.ones((2, 3))).plot()


def test_displays_draw_on_the_axes_given(choquet):
    _, axes = plt.subplots(ncols=3, figsize=(15, 5))
    for display, ax in zip(
        (WeightsDisplay, InteractionDisplay, CapacityLatticeDisplay), axes, strict=True
    ):
        assert display.from_estimator(choquet, ax=ax).ax_ is ax


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("age", "age"),
        (3, "3"),
        ("two\nlines", "two lines"),
        ("$x$", r"\$x\$"),
        ("", "(no name)"),
        ("a" * 40, "a" * 20 + "…" + "a" * 11),
    ],
)
def test_names_are_one_line_of_plain_text(name, text):
    assert as_label(name) == text
    assert shorten(name) == text.replace(r"\$", "$")


def test_text_contrasts_with_its_ground():
    assert text_colour((1, 1, 1, 1)) == "black"
    assert text_colour((0, 0, 0.3, 1)) == "white"


def test_weights_of_probabilistic_linkage_are_agreement_over_disagreement(frames):
    linker = ProbabilisticLinker().fit(*frames)
    display = WeightsDisplay.from_estimator(linker)
    np.testing.assert_allclose(display.weights, linker.weights_[:, 1] - linker.weights_[:, 0])
    assert "agreement" in display.ax_.get_xlabel()
