"""One command on a mixed release as it comes, checked against a dense computation."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_reclink.cli import run

NUMBERS, CATEGORIES = ["income", "age"], ["sex", "region", "job"]


@pytest.fixture(scope="module")
def files() -> tuple[pd.DataFrame, pd.DataFrame]:
    """260 people, and a release of 30 % of them with others, 10 % of the cells missing."""
    rng = np.random.default_rng(3)
    n_people = 260
    table = pd.DataFrame(
        {
            "person": [f"{number:05d}" for number in rng.permutation(n_people)],
            "income": np.exp(rng.normal(8, 0.6, n_people)).round(2),
            "age": rng.integers(18, 90, n_people),
            "sex": rng.choice(["Frau", "Mann"], n_people),
            "region": rng.choice(["Nürnberg", "Köln", "Zürich", "Graz"], n_people),
            "job": rng.choice([1, 2, 3, 4, 5, 6], n_people),
        }
    )
    release = table.sample(frac=0.45, random_state=1)
    release = release.astype({"age": float, "job": object})
    release["income"] = (release["income"] * rng.normal(1, 0.05, len(release))).round(2)
    release["age"] += rng.integers(-1, 2, len(release))
    for name in NUMBERS + CATEGORIES:
        gone = rng.random(len(release)) < 0.1
        release[name] = release[name].astype(object).where(~gone, None)
    return table.sample(frac=0.7, random_state=2), release


def dense(X: pd.DataFrame, Y: pd.DataFrame, pool: pd.DataFrame, sought: pd.DataFrame) -> np.ndarray:
    """Squared distances of the people sought and the pool, from the definition."""
    total = np.zeros((len(sought), len(pool)))
    for name in NUMBERS:
        x, y = X[name].to_numpy(float), Y[name].to_numpy(float)
        a = (sought[name].to_numpy(float) - np.nanmean(x)) / np.nanstd(x, ddof=1)
        b = (pool[name].to_numpy(float) - np.nanmean(y)) / np.nanstd(y, ddof=1)
        cost = (a[:, None] - b) ** 2
        expected = np.nanmean(cost, axis=1, keepdims=True)  # no original value is missing
        total += np.where(np.isnan(b), expected, cost)
    for name in CATEGORIES:
        shares = X[name].astype(str).value_counts(normalize=True).to_numpy()
        scale = 2 / (1 - (shares**2).sum())
        a, b = sought[name].astype(str).to_numpy(), pool[name].astype(str).to_numpy()
        missing = pool[name].isna().to_numpy()
        cost = scale * (a[:, None] != b)
        expected = cost[:, ~missing].mean(axis=1, keepdims=True)
        total += np.where(missing, expected, cost)
    return total / len(NUMBERS + CATEGORIES)


def test_recall_and_precision_of_a_sample(files, tmp_path, capsys):
    original, release = files
    paths = [tmp_path / name for name in ("original.csv", "release.csv")]
    for path, table in zip(paths, files, strict=True):
        table.to_csv(path, index=False, sep=";", encoding="latin-1")
    written = tmp_path / "found.json"
    arguments = ["audit", *map(str, paths), "--id", "person", "--nominal", "job"]
    code = run(
        [*arguments, "--attackers", "euclidean", "--json", str(written), "--time-limit", "5"]
    )
    assert code == 0
    found = json.loads(written.read_text())
    kinds = {row["column"]: row["kind"] for row in found["columns"]}
    assert kinds == {**dict.fromkeys(NUMBERS, "numeric"), **dict.fromkeys(CATEGORIES, "nominal")}
    told = capsys.readouterr()
    assert "Latin-1" not in told.out and "region" in told.err

    both = [one for one in original["person"] if one in set(release["person"])]
    X, Y = (table.set_index("person").loc[both] for table in files)
    others = release[~release["person"].isin(both)].set_index("person")
    absent = original[~original["person"].isin(both)].set_index("person")
    pool = pd.concat([Y, others])
    distances = dense(X, Y, pool, pd.concat([X, absent]))
    order = np.sort(distances, axis=1)
    clear = order[:, 1] - order[:, 0] > 1e-9
    right = clear & (distances.argmin(axis=1) == np.arange(len(distances)))
    right[len(X) :] = False
    samples = found["samples"]
    assert samples["n_pairs"] == len(X)
    assert samples["n_absent"] == len(absent)
    assert samples["pool"] == len(release)
    recall = right[: len(X)].mean()
    assert found["attackers"][0]["found"] == right.sum()
    assert samples["knows_who_is_in"]["recall"] == pytest.approx(recall)
    known = right.sum() / clear[: len(X)].sum()
    assert samples["knows_who_is_in"]["precision"] == pytest.approx(known)
    assert samples["does_not_know"]["precision"] == pytest.approx(right.sum() / clear.sum())
