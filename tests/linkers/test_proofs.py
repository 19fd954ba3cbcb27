"""What a linker says of a proof: closed, open, or contradicted by the recount."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink import WeightedMeanLinker
from sklearn_reclink.datasets import make_noisy_files
from sklearn_reclink.solvers.problem import Solution, Status


def answer(monkeypatch, gap, status):
    """Let the search answer equal weights, and a bound that is apart from their count."""

    def solve(problem, **options):
        theta = problem.family.centre
        links = int(problem.index.linked(problem.family, theta).sum())
        return Solution(theta, links, links + gap, status)

    monkeypatch.setattr("sklearn_reclink.solvers.exact.solve", solve)


def pair():
    return make_noisy_files(40, noise=[0.4] * 3, random_state=0)


def test_bound_below_the_recount_is_an_error_and_never_hidden(monkeypatch):
    answer(monkeypatch, -1, Status.OPTIMAL)
    with pytest.raises(RuntimeError, match=r"the proof is wrong: it allows .* Please report"):
        WeightedMeanLinker().fit(*pair())


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (Status.TIME_LIMIT, r"the time limit of 7 s ended the proof: .*raise time_limit"),
        (Status.UNDECIDED, r"ties within rounding left the proof open: .* can be$"),
        (Status.OPTIMAL, r"ties within rounding left the proof open: .* can be$"),
    ],
)
def test_open_proof_is_warned_of_with_its_cause_and_gap(monkeypatch, status, sentence):
    answer(monkeypatch, 1, status)
    with pytest.warns(ConvergenceWarning, match=sentence):
        linker = WeightedMeanLinker(time_limit=7).fit(*pair())
    assert linker.bound_ == linker.n_linked_ + 1
    expected = Status.TIME_LIMIT if status is Status.TIME_LIMIT else Status.UNDECIDED
    assert linker.status_ == expected.value


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.TIME_LIMIT, Status.UNDECIDED])
def test_recount_that_meets_the_bound_is_optimal_whatever_ended_the_search(monkeypatch, status):
    answer(monkeypatch, 0, status)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linker = WeightedMeanLinker().fit(*pair())
    assert linker.status_ == "optimal"
    assert linker.bound_ == linker.n_linked_


def test_ties_everywhere_leave_nobody_linked_and_prove_it():
    # the difference of the two files is scaled by its own spread: a record ties with its rival
    X = [[2, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]]
    Y = [[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1], [4, 0, 0]]
    linker = WeightedMeanLinker(standardize="difference").fit(X, Y)
    assert (linker.n_linked_, linker.bound_, linker.status_) == (0, 0, "optimal")
