"""The part of JSON Schema that the published schemas use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def published(name: str) -> dict[str, Any]:
    """A schema in the documentation."""
    schema: dict[str, Any] = json.loads((DOCS / name).read_text(encoding="utf-8"))
    return schema


SCHEMA = published("certificate.schema.json")
AUDIT_SCHEMA = published("audit.schema.json")
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
    "boolean": bool,
}
CHECKED = {
    "$ref", "anyOf", "const", "enum", "type", "pattern", "minimum", "maximum", "minItems",
    "maxItems", "items", "required", "properties", "additionalProperties",
}  # fmt: skip
UNCHECKED = {"$schema", "$defs", "title", "description"}


def problems(
    value: Any, schema: dict[str, Any], where: str = "$", root: dict[str, Any] | None = None
) -> list[str]:
    """What is wrong with a value; a name that the schema does not know is."""
    root = schema if root is None else root
    assert schema.keys() <= CHECKED | UNCHECKED, schema.keys()
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], where, root)
    if "anyOf" in schema:
        tried = [problems(value, one, where, root) for one in schema["anyOf"]]
        return [] if [] in tried else min(tried, key=len)
    if "const" in schema:
        return [] if value == schema["const"] else [f"{where}: not {schema['const']}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: not one of {schema['enum']}"]
    is_truth = schema["type"] == "boolean"
    if not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool) is not is_truth:
        return [f"{where}: not of type {schema['type']}"]
    found = []
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: not like {schema['pattern']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: too small")
    if "maximum" in schema and value > schema["maximum"]:
        found.append(f"{where}: too large")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{where}: {len(value)} items")
        for k, item in enumerate(value):
            found += problems(item, schema["items"], f"{where}[{k}]", root)
    if isinstance(value, dict):
        found += [
            f"{where}: lacks {name}" for name in schema.get("required", []) if name not in value
        ]
        for name, item in value.items():
            others = schema.get("additionalProperties") or None
            one = schema["properties"].get(name, others)
            if one is None:
                found.append(f"{where}: {name} is unknown")
            else:
                found += problems(item, one, f"{where}.{name}", root)
    return found
