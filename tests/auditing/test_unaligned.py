"""Audits of releases whose rows belong to nobody, and of what a release reveals about secrets."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink import EuclideanLinker, audit
from sklearn_reclink.auditing import UnalignedAudit
from sklearn_reclink.auditing._holdout import check_holdout, overlap
from sklearn_reclink.metrics.record_space import UnalignedFiles
from tests.auditing.pairs import SCRIPT
from tests.auditing.test_html import Elements


def people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    age = rng.normal(50, 12, n)
    table = pd.DataFrame(
        {
            "age": age,
            "income": np.exp(rng.normal(8, 0.7, n)),
            "job": pd.Categorical(rng.choice(list("abcde"), n)),
            SCRIPT: pd.Categorical(np.where(age + rng.normal(0, 5, n) > 60, "yes", "no")),
        }
    )
    return table.mask(rng.random(table.shape) < 0.03)


@pytest.fixture(scope="module")
def files() -> tuple[pd.DataFrame, ...]:
    """Originals, a release of new draws, one with a fifth of copies, and a holdout."""
    rng = np.random.default_rng(0)
    X, fresh, holdout = (people(rng, n) for n in (300, 320, 250))
    copies = pd.concat([fresh[60:], X[:60]], ignore_index=True)
    return X, fresh, copies, holdout


@pytest.fixture(scope="module")
def caught(files) -> UnalignedAudit:
    X, _, copies, holdout = files
    return audit(X, copies, aligned=False, holdout=holdout, secret=["income", SCRIPT], limit=0.1)


def test_copies_are_caught_and_the_gated_number_is_said(caught):
    assert isinstance(caught, UnalignedAudit)
    assert caught.above_limit and caught.beyond_chance
    assert 0.15 < caught.risk < 0.27
    assert caught.risk == max(one.value for one in caught.measures)
    low, high = caught.largest.interval
    assert 0.1 < low < caught.risk < high
    text = " ".join(caught.to_text().split())
    assert "Copied exactly: 60 of 300 people, and 0 of 250 of the holdout." in text
    assert "the larger of the excess of people copied exactly and of the excess" in text
    assert "nobody can be found" in text and "above the limit of 10 %" in text
    assert set(range(60)) <= set(caught.rows_at_risk.tolist())
    assert len(caught.records_csv().splitlines()) == len(caught.rows_at_risk) + 1


def test_new_draws_show_no_excess(files):
    X, fresh, _, holdout = files
    found = audit(X, fresh, aligned=False, holdout=holdout, limit=0.1)
    assert not found.above_limit and not found.beyond_chance
    assert "is no nearer to the 300 people it was made from" in " ".join(found.to_text().split())


def test_without_a_holdout_the_report_says_what_cannot_be_concluded(files):
    X, fresh, copies, _ = files
    found = audit(X, fresh, aligned=False, limit=0.2)
    text = " ".join(found.to_text().split())
    assert not found.above_limit and found.n_holdout is None
    assert "this does not show that the release is safe" in text
    assert "Without a holdout nobody can tell" in text
    assert found.to_dict()["verdict"]["level"] == "some"  # not green
    assert audit(X, copies, aligned=False).risk == pytest.approx(0.2, abs=0.05)


def test_a_shuffled_masked_file_is_not_waved_through(files):
    X = files[0][["age", "income"]].dropna()
    rng = np.random.default_rng(1)
    Y = X * rng.normal(1, 0.001, X.shape)
    found = audit(X, Y.sample(frac=1, random_state=0), aligned=False, limit=0.05)
    assert found.above_limit and found.risk > 0.5


@pytest.mark.parametrize("others", [0, 100])
def test_a_holdout_of_originals_is_refused(files, others):
    X, fresh, _, holdout = files
    mixed = pd.concat([X[:100], holdout[:others]])
    with pytest.raises(ValueError, match="the holdout are also in the original"):
        audit(X, fresh, aligned=False, holdout=mixed)


def test_coarse_records_that_are_equal_by_chance_are_not_refused():
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sizes, n_columns = rng.integers(20, 200, 2), rng.integers(1, 7)
        X, holdout = (rng.choice(4, (n, n_columns), p=shares).astype(float) for n in sizes)
        found, expected, spread = overlap(X, holdout, seed)
        assert found - expected <= max(3.5 * spread, 0.05 * len(holdout))
        check_holdout(UnalignedFiles.read(X, X, holdout), seed)


@pytest.mark.parametrize("n", [20, 50, 1000])
def test_a_copy_is_no_holdout_in_files_of_any_length(n):
    X = np.random.default_rng(n).integers(30, size=(n, 3)).astype(float)
    with pytest.raises(ValueError, match="the risk would come out too low"):
        check_holdout(UnalignedFiles.read(X, X, X[::-1]), 0)


def test_the_variables_left_out_are_told(files):
    X, fresh, _, holdout = files
    some = ["age", "job"]
    found = audit(
        *(X[some], fresh[some]), aligned=False, holdout=holdout[some], left_out=["income", "ill"]
    )
    assert "Judged by 2 of the 4 variables: “age” and “job”." in " ".join(found.to_text().split())
    assert found.to_dict()["left_out"] == ["income", "ill"]
    assert "2 of the 4 variables" in found.to_html()


def test_the_page_is_inert_and_the_numbers_agree(caught):
    page = caught.to_html()
    elements = Elements(page)
    assert elements.balanced and not elements.open
    assert len(elements.named("script")) == 1 and SCRIPT not in page
    assert (
        "What cannot be concluded" in page and "What does the release reveal about secrets?" in page
    )
    numbers = caught.to_dict()
    json.dumps(numbers, allow_nan=False)
    assert numbers["risk"] == caught.risk and numbers["kind"] == "unaligned"
    assert [one["secret"] for one in numbers["secrets"]] == ["income", "income", SCRIPT, SCRIPT]
    told = numbers["secrets"][0]
    assert told["control_people"] == "absent" and told["risk_interval_95"][0] > 0.05


def test_secrets_are_not_linked_by_and_are_told():
    rng = np.random.default_rng(2)
    X = people(rng, 200).rename(columns={SCRIPT: "ill"})
    Y = X.assign(age=X["age"] + rng.normal(0, 0.1, 200), income=X["income"] * 1.01)
    found = audit(X, Y, attackers=["euclidean"], secret="ill", time_limit=20)
    assert found.names == ("age", "income", "job")
    (secret,) = found.secrets
    assert secret.name == "ill" and secret.worst.attack.share > 0.9
    assert secret.worst.control_people == "own record left out"
    assert found.to_dict()["secrets"][0]["secret"] == "ill"
    assert "“ill”: the linked record reveals it" in " ".join(found.to_text().split())
    assert "What does the release reveal about secrets?" in found.to_html()
    known = ["age", "income", "job"]
    plain = EuclideanLinker().fit(X[known], Y[known])
    assert plain.n_linked_ == found.worst.n_found


def test_absent_people_are_the_control():
    rng = np.random.default_rng(3)
    everyone = people(rng, 260).rename(columns={SCRIPT: "ill"})
    X, absent = everyone[:200], everyone[200:]
    found = audit(X, X, attackers=["euclidean"], secret=["ill"], absent=absent, time_limit=20)
    worst = found.secrets[0].worst
    assert worst.attack.share == 1 and worst.control_people == "absent"
    assert worst.control.n_tried == absent["ill"].notna().sum()


def test_columns_without_names_and_secrets_that_no_record_tells():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(2, 30, 3)).round(2)
    X[:, 2], Y[:, 2] = 0.0, np.nan
    X[3, 2] = 1.0
    with pytest.warns(UserWarning, match="no value in the masked file"):
        found = audit(X, Y, aligned=False, secret=2)
    (secret,) = found.secrets
    assert secret.name == "x2" and secret.worst.attack.n_right == 0
    assert secret.worst.rank_correlation is None
    found.to_text(), found.to_dict(), found.to_html()


def test_refusals(files):
    X, fresh, _, holdout = files
    with pytest.raises(ValueError, match="secret names 'wage', which is not a column"):
        audit(X, fresh, aligned=False, secret="wage")
    with pytest.raises(ValueError, match="all columns in use are secret"):
        audit(X, fresh, aligned=False, secret=list(X.columns))
    with pytest.raises(ValueError, match="ids of the rows 0 and 2 are equal"):
        audit(X, fresh, aligned=False, ids=[7, 8, "7", *range(10, len(X) + 7)])
    with pytest.raises(ValueError, match="holdout is given"):
        audit(X, X, holdout=holdout)


def test_a_limit_is_not_met_where_the_holdout_is_in_the_release_too():
    X = np.repeat(np.arange(5) + 0.5, 20)[:, None]
    with pytest.warns(UserWarning, match="every record of the holdout"):
        found = audit(X, X, aligned=False, holdout=X[::3], limit=0.05)
    assert found.largest is None and found.unsettled and not found.above_limit
    assert found.to_dict()["unsettled"] is True
    assert "not shown to be within the limit" in " ".join(found.to_text().split())
    page = found.to_html()
    assert "Not shown to be within the limit" in page and 'class="verdict some"' in page
