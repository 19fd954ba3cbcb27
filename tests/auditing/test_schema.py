"""The JSON of audits and comparisons follows the published schema.

`tests/conftest.py` checks every JSON that any test makes; here are those that it would miss.
"""

from __future__ import annotations

import json

import pytest

from sklearn_reclink import audit, cli
from sklearn_reclink.auditing import compare
from tests.auditing.pairs import masked, original
from tests.certificates.schema import AUDIT_SCHEMA, problems


def test_an_audit_of_all_attackers_follows_the_schema(found):
    assert problems(found.to_dict(), AUDIT_SCHEMA) == []


def test_a_file_with_nothing_at_risk_follows_the_schema(safe):
    assert problems(safe.to_dict(), AUDIT_SCHEMA) == []


def test_commands_write_what_the_schema_describes(tmp_path):
    X = original(30)
    paths = [tmp_path / f"{name}.csv" for name in ("original", "masked", "twin")]
    for path, table in zip(paths, (X, masked(X), masked(X, groups=4)), strict=True):
        table.to_csv(path, index=False)
    quick = ["--attackers", "euclidean", "--time-limit", "1", "-q"]
    for command, files, kind in (("audit", paths[:2], "audit"), ("compare", paths, "comparison")):
        target = tmp_path / f"{kind}.json"
        cli.run([command, *map(str, files), "--json", str(target), *quick])
        written = json.loads(target.read_text(encoding="utf-8"))
        assert problems(written, AUDIT_SCHEMA) == []
        assert written["kind"] == kind and written["schema_version"] == 1
        one = written["maskings"][1] if kind == "comparison" else written
        assert [source["role"] for source in one["sources"]] == ["original", "masked"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("risk", 1.5), ("n_records", "60"), ("limit", True), ("above_limit", 1), ("invented", 0)],
)
def test_the_schema_refuses_what_is_wrong(safe, field, value):
    assert problems({**safe.to_dict(), field: value}, AUDIT_SCHEMA)


def test_a_comparison_lists_an_audit_per_masking():
    X = original(20)
    found = compare(X, {"a": masked(X), "b": X}, attackers=["euclidean"], limit=0.5).to_dict()
    assert problems(found, AUDIT_SCHEMA) == []
    assert [one["masked"] for one in found["maskings"]] == ["a", "b"]
    assert (
        audit(X, masked(X), attackers=["euclidean"]).to_dict().keys() < found["maskings"][0].keys()
    )
