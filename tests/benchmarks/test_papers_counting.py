"""The papers' counting: a tie goes to the lowest row, for the reproduction of their tables."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_reclink import EuclideanLinker, WeightedMeanLinker
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.masking import Microaggregation

# Records linked on train and test in Table 2 of the 2012 heuristic paper, d2AM
PAPER = {
    "Mic3-9": (166, 530),
    "Mic3-5": (182, 681),
    "Mic3-8": (165, 572),
    "Mic4-4": (169, 541),
    "Mic4-8": (140, 328),
    "Mic4-5": (160, 462),
    "MicMull-3": (109, 198),
}


def literal_count(X, Y):
    """R's which.min over all pairs."""
    distances = ((X[:, None] - Y) ** 2).sum(axis=2)
    return int((distances.argmin(axis=1) == np.arange(len(X))).sum())


def test_the_lowest_of_tied_rows_is_counted():
    from papers_counting import papers_count, standardised

    X = make_microdata(60, 3, random_state=0)
    Y = standardised(Microaggregation(k=3).fit_transform(X))
    X = standardised(X)
    linker = EuclideanLinker(standardize=None).fit(X, Y)
    assert linker.score(X, Y) == 0.0
    assert papers_count(linker, X, Y) == literal_count(X, Y) > 0


def test_the_learned_count_is_that_of_its_own_weights_and_the_largest():
    from papers_counting import first_of_each, learned_count, standardised

    X = make_microdata(40, 2, random_state=1)
    Y = Microaggregation(groups=[[0], [1]], k=4).fit_transform(X)
    found, proven = learned_count(WeightedMeanLinker(time_limit=30), X, Y)
    X, Y = standardised(X), standardised(Y)
    counts = [
        literal_count(X * np.sqrt([w, 1 - w]), Y * np.sqrt([w, 1 - w]))
        for w in np.linspace(0.001, 0.999, 400)
    ]
    assert proven
    assert found >= max(counts) > 0
    assert len(first_of_each(Y)) == len(np.unique(Y, axis=0))


def test_the_tables_print_both_countings_and_call_no_fixed_distance_unproven(monkeypatch, capsys):
    import papers_counting
    from papers import MaskedFile
    from side_by_side import Fit

    monkeypatch.setattr(papers_counting, "FILES", {"M4-33": MaskedFile([[0, 1], [2]], [3, 3])})
    census = make_microdata(420, 3, random_state=0)
    linkers = {"d2AM": EuclideanLinker(), "d2WM": WeightedMeanLinker(time_limit=20, random_state=0)}
    papers_counting.print_percentages_of_papers(census, ["M4-33"], [0], linkers)
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    rates = [line.split("|")[2].split("/") for line in table[2:]]
    assert "*" not in "".join(table)
    assert all(float(counted) >= float(strict) for _, counted, strict in rates)
    X = census[:30]
    assert not Fit(EuclideanLinker().fit(X, X), 100.0, 0.0).open


@pytest.mark.census
def test_table_2_of_the_heuristic_paper_is_reproduced(census):
    from papers_counting import MICROAGGREGATED, row_of_table_2

    assert tuple(PAPER) == MICROAGGREGATED
    rows = [row_of_table_2(census, masking, EuclideanLinker()) for masking in MICROAGGREGATED]
    off = [row.records_off(len(census)) for row in rows]
    for row, (train, test) in zip(rows, PAPER.values(), strict=True):
        assert [round(row.paper[0] * 2), round(row.paper[1] * 8.8)] == [train, test]
        assert row.strict[0] <= row.counted[0]
    assert np.abs(off).max() <= 2
    assert sum(one == [0, 0] for one in off) == 5


@pytest.mark.census
def test_m7_999_is_explained_by_the_first_seven_columns_of_mic3_9(census):
    from papers_counting import M7_999, papers_count

    pairs = [M7_999.draw(census, seed) for seed in range(10)]
    counts = [papers_count(EuclideanLinker().fit(*pair), *pair) for pair in pairs]
    assert 100 * np.mean(counts) / 400 == pytest.approx(87.75, abs=2.0)
