"""Pieces of JSON Schemas (draft 2020-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from properties.vectors.question import Data

DIALECT = "https://json-schema.org/draft/2020-12/schema"

INTEGER: Data = {"type": "integer"}
COUNT: Data = {"type": "integer", "minimum": 0}
TEXT: Data = {"type": "string"}
FLAG: Data = {"type": "boolean"}
HEX: Data = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
"""Bytes, two digits each."""
OPTIONAL_INTEGER: Data = {"type": ["integer", "null"]}
OPTIONAL_TEXT: Data = {"type": ["string", "null"]}
LEAF: Data = {"type": ["integer", "boolean"]}


def describe(schema: Data, text: str) -> Data:
    """The schema with its meaning."""
    return {**schema, "description": text}


def make_object(members: Mapping[str, Any], *, optional: Mapping[str, Any] | None = None) -> Data:
    """An object with these members and no others; those that are not optional are required."""
    return {
        "type": "object",
        "properties": {**members, **(optional or {})},
        "required": list(members),
        "additionalProperties": False,
    }


def make_table(values: Data) -> Data:
    """An object with any names, and values of one kind."""
    return {"type": "object", "additionalProperties": values}


def make_list(items: Data) -> Data:
    """A list of one kind."""
    return {"type": "array", "items": items}


def make_choice(*values: Any) -> Data:
    """One of some values."""
    return {"enum": list(values)}


def make_nullable(schema: Data) -> Data:
    """This, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def make_kinds(kinds: Mapping[str, Data]) -> Data:
    """An object of one of several kinds, which its member ``kind`` names."""
    return {"oneOf": [add_kind(kind, schema) for kind, schema in kinds.items()]}


def add_kind(kind: str, schema: Data) -> Data:
    """The schema of an object whose member ``kind`` has this value."""
    members = {"kind": {"const": kind}, **schema["properties"]}
    return {**schema, "properties": members, "required": ["kind", *schema["required"]]}


def name_schema(schema: Data, title: str) -> Data:
    """A whole schema."""
    return {"$schema": DIALECT, "title": title, **schema}
