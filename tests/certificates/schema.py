"""The part of JSON Schema that the published schema uses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "certificate.schema.json").read_text(encoding="utf-8")
)
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
CHECKED = {
    "$ref", "anyOf", "const", "enum", "type", "pattern", "minimum", "minItems", "maxItems", "items",
    "required", "properties", "additionalProperties",
}  # fmt: skip
UNCHECKED = {"$schema", "$defs", "title", "description"}


def problems(value: Any, schema: dict[str, Any], where: str = "$") -> list[str]:
    """What is wrong with a value."""
    assert schema.keys() <= CHECKED | UNCHECKED, schema.keys()
    if "$ref" in schema:
        return problems(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], where)
    if "anyOf" in schema:
        tried = [problems(value, one, where) for one in schema["anyOf"]]
        return [] if [] in tried else tried[-1]
    if "const" in schema:
        return [] if value == schema["const"] else [f"{where}: not {schema['const']}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: not one of {schema['enum']}"]
    if not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool):
        return [f"{where}: not of type {schema['type']}"]
    found = []
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: not like {schema['pattern']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: too small")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{where}: {len(value)} items")
        for k, item in enumerate(value):
            found += problems(item, schema["items"], f"{where}[{k}]")
    if isinstance(value, dict):
        found += [
            f"{where}: lacks {name}" for name in schema.get("required", []) if name not in value
        ]
        for name, item in value.items():
            if name not in schema["properties"]:
                found.append(f"{where}: {name} is unknown")
            else:
                found += problems(item, schema["properties"][name], f"{where}.{name}")
    return found
