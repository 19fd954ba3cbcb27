"""Laws of the search for a masking within a target."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_reclink import audit
from sklearn_reclink.auditing import MaskerFamily, MaskingSearch
from sklearn_reclink.auditing.protection.families import default_families, kinds_of
from sklearn_reclink.auditing.protection.search import Search
from sklearn_reclink.auditing.protection.trials import (
    NOT_TRIED,
    PROVEN,
    REJECTED,
    UNSETTLED,
    share_of_different_rows,
    table_of,
    value_change,
)
from sklearn_reclink.datasets import make_microdata
from sklearn_reclink.linkers import DensityLinker, EuclideanLinker, MahalanobisLinker
from sklearn_reclink.masking import AdditiveNoise, DataShuffling, Microaggregation, RankSwapping
from sklearn_reclink.metrics import information_loss, linkage_ceiling

QUICK = ["euclidean", "mahalanobis", "density"]
FAMILIES = [
    MaskerFamily("shuffling", DataShuffling(random_state=0), "p", (10, 40, 80, 100)),
    MaskerFamily("groups", Microaggregation(standardize=True), "k", (2, 5, 10, 20)),
]


@pytest.fixture(scope="module")
def X():
    return make_microdata(200, 3, random_state=0)


@pytest.fixture(scope="module")
def search(X):
    return MaskingSearch(0.1, maskers=FAMILIES, attackers=QUICK, time_limit=30).fit(X)


def risk_of(X, Y, linker):
    links = linker.fit(X, Y).link(X, Y)
    return max(links.reidentified.mean(), links.expected_rate)


def test_the_release_is_within_the_target_by_an_independent_recount(X, search):
    assert search.feasible_
    for linker in (EuclideanLinker(), MahalanobisLinker(), DensityLinker(rule="balanced")):
        assert risk_of(X, search.masked_, linker) <= 0.1
    again = audit(X, search.masked_, attackers=QUICK, time_limit=10, aligned="unchecked")
    assert again.risk <= search.risk_ <= 0.09


def test_no_masking_that_may_be_within_the_target_loses_less(search):
    results = pd.DataFrame(search.results_)
    chosen = results[results.chosen].iloc[0]
    better = results[results.information_loss < chosen.information_loss - 0.01]
    assert set(better.outcome) <= {
        "rejected",
        "refuted by the audit",
        "not tried: others lose less",
    }
    weaker = better[better.outcome == NOT_TRIED]
    for _, one in weaker.iterrows():  # a stronger one of its family was refuted
        family = results[(results.family == one.family) & (results.outcome == REJECTED)]
        assert len(family)
    assert search.information_loss_ == pytest.approx(chosen.information_loss)


def test_attributes_are_those_of_the_release(X, search):
    assert (search.masked_ == search.best_masker_.fit_transform(X)).all()
    assert (search.transform(X) == search.masked_).all()
    assert information_loss(X, search.masked_) == pytest.approx(search.information_loss_)
    assert search.bound_ == share_of_different_rows(search.masked_)
    assert clone(search).get_params()["max_risk"] == 0.1


def test_a_proven_masking_bounds_every_attacker(X):
    found = MaskingSearch(0.1, maskers=FAMILIES, proven=True, attackers=QUICK, time_limit=20).fit(X)
    assert found.protection_.is_proven
    assert found.protection_.chosen.outcome == PROVEN
    assert found.risk_ <= found.bound_ <= 0.1
    assert "no attacker of any kind" in " ".join(found.protection_.to_text().split())


def test_an_infeasible_target_gets_the_lowest_risk(X):
    families = [MaskerFamily("swapping", RankSwapping(random_state=0), "p", (1, 2))]
    found = MaskingSearch(0.01, maskers=families, attackers=QUICK, time_limit=20).fit(X)
    assert not found.feasible_
    assert found.protection_.above_limit
    assert found.risk_ == min(risk for risk in found.results_["risk"] if risk == risk)
    assert found.protection_.to_text().startswith("No masking within the target")
    assert "More time would not" in " ".join(found.protection_.to_text().split())


KEPT = [MaskerFamily("two", DataShuffling(random_state=0, columns=[0, 1]), "p", (10, 80, 100))]


@pytest.fixture(scope="module")
def with_key():
    """A file with a variable that differs for everybody and is released as it is."""
    X = make_microdata(60, 2, random_state=0)
    return np.column_stack([X, np.random.default_rng(0).permutation(60)])


@pytest.mark.filterwarnings("ignore:the rows of the two files hardly")
def test_the_lowest_risk_is_that_of_a_full_audit(with_key):
    names = ["euclidean", "mahalanobis", "weighted_mean"]
    options = {"maskers": KEPT, "attackers": names}
    found = MaskingSearch(0.001, time_limit=20, **options).fit(with_key)
    again = audit(with_key, found.masked_, attackers=names, time_limit=10, aligned="unchecked")
    assert not found.feasible_ and again.risk > 0.9
    assert found.risk_ == pytest.approx(again.risk, abs=0.02)
    kept, numbers = found.protection_, found.protection_.to_dict()
    assert numbers["chosen"]["risk_is_lower_bound"] is False
    text = " ".join(kept.to_text().split())
    assert "An audit of two" in text and "longer time limit" not in text
    assert "a random guess finds one of 60 people" in text


def test_no_masking_is_within_a_target_below_a_random_guess(X):
    swapped = [MaskerFamily("swapping", RankSwapping(random_state=0), "p", (100,))]
    options = {"maskers": swapped, "attackers": ["euclidean"], "time_limit": 10}
    found = MaskingSearch(0.4, **options).fit(X[:2])
    assert found.risk_ == 0 and not found.feasible_ and found.protection_.above_limit
    assert "a random guess finds one of 2 people" in " ".join(found.protection_.to_text().split())


def test_a_lower_bound_is_called_one(with_key, monkeypatch):
    monkeypatch.setattr(Search, "_least_audit", 1e9)
    options = {"maskers": KEPT, "attackers": QUICK}
    found = MaskingSearch(0.02, time_limit=20, **options).fit(with_key)
    numbers = found.protection_.to_dict()
    assert numbers["chosen"]["risk_is_lower_bound"] is True and not found.feasible_
    text = " ".join(found.protection_.to_text().split())
    assert "at least" in text and "≥" in text and "lowest risk" not in text
    assert "at least" in found.protection_.to_html()


def test_without_a_proof_the_best_masking_is_reported(X):
    families = [MaskerFamily("noise", AdditiveNoise(random_state=0), "p", (50, 200))]
    options = {"maskers": families, "attackers": QUICK, "time_limit": 20}
    found = MaskingSearch(0.5, proven=True, **options).fit(X)
    kept = found.protection_
    assert not found.feasible_ and kept.above_limit and not kept.unsettled
    again = audit(X, found.masked_, attackers=QUICK, time_limit=10, aligned="unchecked")
    assert found.risk_ == pytest.approx(again.risk, abs=0.02)
    text = " ".join(kept.to_text().split())
    assert text.startswith("No masking was found that is proven to be within the target of 50 %")
    assert "a search that asks for no proof" in text


def test_only_the_attackers_named_are_tried(X):
    options = {"maskers": FAMILIES, "attackers": ["mahalanobis"], "time_limit": 20}
    found = MaskingSearch(0.1, **options).fit(X)
    assert {one for one in found.results_["attacker"] if one} <= {"mahalanobis", "Mahalanobis"}


def test_a_short_search_still_audits(X):
    options = {"maskers": FAMILIES[:1], "attackers": ["euclidean"], "time_limit": 4}
    found = MaskingSearch(0.3, **options).fit(X)
    assert found.feasible_ and found.protection_.chosen.in_full


@pytest.fixture
def no_time_for_density(monkeypatch):
    """Every audit ends before the turn of this attacker."""
    from sklearn_reclink.auditing._running import Steps

    monkeypatch.setattr(Steps, "has_time_for", lambda steps, one, n: one.name != "density")


@pytest.mark.usefixtures("no_time_for_density")
def test_a_target_is_not_met_while_attackers_lack_time(X):
    families = [MaskerFamily("shuffling", DataShuffling(random_state=0), "p", (80, 100))]
    found = MaskingSearch(0.1, maskers=families, attackers=QUICK, time_limit=12).fit(X)
    kept = found.protection_
    assert not found.feasible_ and kept.unsettled and not kept.above_limit
    assert kept.chosen.outcome == UNSETTLED and found.risk_ <= 0.1
    assert "No masking is shown to be within the target" in " ".join(kept.to_text().split())
    assert kept.to_dict()["unsettled"] is True
    assert 'class="verdict some"' in kept.to_html()


def test_a_target_is_not_met_without_an_attacker_that_was_named(X, monkeypatch):
    def skip_reason(attacker, setting):
        return "it takes too long" if attacker.name == "probabilistic" else None

    monkeypatch.setattr("sklearn_reclink.auditing._attackers.Attacker.skip_reason", skip_reason)
    families = [MaskerFamily("shuffling", DataShuffling(random_state=0), "p", (80, 100))]
    names = ["euclidean", "probabilistic"]
    found = MaskingSearch(0.1, maskers=families, attackers=names, time_limit=12).fit(X)
    kept = found.protection_
    assert not found.feasible_ and kept.unsettled
    assert "The file is too large for Probabilistic" in " ".join(kept.to_text().split())


@pytest.mark.usefixtures("no_time_for_density")
def test_a_proof_needs_no_attacker_and_maskings_left_open_are_told(X):
    found = MaskingSearch(0.1, maskers=FAMILIES, attackers=QUICK, time_limit=12).fit(X)
    assert found.feasible_ and found.protection_.is_proven and not found.protection_.unsettled
    text = " ".join(found.protection_.to_text().split())
    assert "that would lose less, such as shuffling" in text


def test_the_same_seed_gives_the_same_release(X, search):
    again = clone(search).fit(X)
    assert (again.masked_ == search.masked_).all()


@pytest.mark.parametrize("seed", range(5))
def test_different_rows_bound_what_any_distance_finds(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)).round(1)
    Y = Microaggregation(k=rng.integers(1, 8)).fit_transform(X)
    bound = share_of_different_rows(Y)
    for linker in (EuclideanLinker(), MahalanobisLinker(), DensityLinker()):
        assert risk_of(X, Y, linker) <= bound + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_expected_ceiling_bounds_guesses_of_weighted_means(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(6, size=(50, 3)).astype(float)
    Y = rng.permuted(X, axis=0) if seed % 2 else np.rint(X + rng.normal(size=X.shape))
    ceiling = linkage_ceiling(X, Y, expected=True)
    assert linkage_ceiling(X, Y) <= ceiling + 1e-12
    for weights in (*np.eye(3), *rng.uniform(size=(20, 3))):
        squares = ((X - X.mean(0)) / X.std(0, ddof=1))[:, None] - (Y - Y.mean(0)) / Y.std(0, ddof=1)
        distance = (squares**2 * weights).sum(axis=-1)
        own = np.diag(distance)
        tied = np.isclose(distance, own[:, None], rtol=1e-9, atol=1e-12)
        nearest = (distance >= own[:, None]) | tied
        found = (nearest.all(axis=1) / tied.sum(axis=1)).mean()
        assert found <= ceiling + 1e-9


def test_values_that_do_not_change_have_no_change():
    frame = pd.DataFrame({"a": [1.0, 2.0, None], "b": ["x", None, "y"]})
    assert value_change(frame, frame) == 0
    assert value_change(frame, frame.assign(b=["y", None, None])) == pytest.approx(1 / 3)


def test_a_key_is_masked_by_itself():
    rng = np.random.default_rng(0)
    X = np.column_stack([make_microdata(300, 2, random_state=0), rng.permutation(300)])
    kinds = kinds_of(table_of(X), range(3))
    assert kinds.keys == [2]
    names = [one.name for one in default_families(kinds, 300, 0.05, 0)]
    assert "identifiers swapped, others shuffled" in names


def test_a_mixed_frame_keeps_its_form_and_what_is_not_masked():
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], n)),
            "income": rng.lognormal(10, 1, n).round(),
            "age": rng.integers(18, 90, n),
            "region": rng.choice(["n", "s"], n),
        }
    )
    found = MaskingSearch(
        0.3, columns=["sex", "income", "age"], attackers=["euclidean"], time_limit=20
    ).fit(frame)
    masked = found.masked_
    assert list(masked.columns) == list(frame.columns)
    assert (masked["region"] == frame["region"]).all()
    assert masked.dtypes.equals(frame.dtypes)
    assert not masked["sex"].equals(frame["sex"])
    assert "PRAM" in str(found.best_masker_)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"max_risk": 0}, "max_risk"),
        ({"columns": ["nobody"]}, "names the column 'nobody'"),
        ({"maskers": [MaskerFamily("big", Microaggregation(), "k", (999,))]}, "no masking can be"),
    ],
)
def test_what_cannot_be_searched_is_refused(X, options, problem):
    with pytest.raises(ValueError, match=problem):
        MaskingSearch(**options).fit(X)


def test_the_page_and_the_numbers_agree(search):
    page, numbers = search.protection_.to_html(), search.protection_.to_dict()
    assert numbers["chosen"]["name"] in page
    assert numbers["feasible"] is True
    assert numbers["chosen"]["risk"] == search.risk_
    assert "target" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
