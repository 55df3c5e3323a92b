"""The trace format: schema, page, reader and recordings say the same."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from brokers.recordings.judging import check_trace
from brokers.recordings.kinds import (
    APPENDED_FIELDS,
    BROKER_KINDS,
    COMMON_FIELDS,
    EXPLAINED_KINDS,
    IGNORED_KINDS,
    LIST_FIELDS,
    MASTER_FIELDS,
    OPTIONAL_FIELDS,
    OPTIONAL_ITEM_FIELDS,
    SLAVE_FIELDS,
)
from properties.checkout import ROOT

PAGE = (ROOT / "spec" / "trace_format.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "spec" / "trace.schema.json").read_text(encoding="utf-8"))
RECORDINGS = [
    path
    for folder in ("traces", "traces_498", "traces_5x")
    for path in sorted((ROOT / "tests" / "data" / folder).glob("*.jsonl"))
]

EVENT_PREFIX = "event_"
"""How a definition begins that describes a kind of event."""

LIST_DEFINITIONS = {"connections": "connection", "files": "file_crc", "entries": "scan_entry"}
"""The definition of each item of a list, by the name of the list."""


def get_event(kind: str) -> dict[str, Any]:
    """The definition of a kind of event."""
    definition: dict[str, Any] = SCHEMA["$defs"][EVENT_PREFIX + kind]
    return definition


def find_kinds() -> list[str]:
    """Every kind of event that the schema describes."""
    return [n.removeprefix(EVENT_PREFIX) for n in SCHEMA["$defs"] if n.startswith(EVENT_PREFIX)]


@cache
def get_validator(kind: str) -> Draft202012Validator:
    """The schema with the branch of one kind only: many times faster than all branches."""
    branch = [{"$ref": f"#/$defs/{EVENT_PREFIX}{kind}"}]
    return Draft202012Validator({**SCHEMA, "allOf": branch})


def explain_errors(event: dict[str, Any]) -> list[str]:
    """What the schema has against an event."""
    return [error.message for error in get_validator(event["ev"]).iter_errors(event)]


def find_example() -> str:
    """The worked example of the page, as a recording."""
    _, _, rest = PAGE.partition("```json\n")
    return rest.partition("```")[0]


def find_table_rows(heading: str) -> Iterator[tuple[str, ...]]:
    """The cells of the tables of one section whose first cell is an identifier."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            yield tuple(line.strip("| ").split(" | "))


def find_identifiers(cell: str) -> list[str]:
    """The identifiers of a cell."""
    return re.findall(r"`(\w+)`", cell)


def test_schema_is_one() -> None:
    """The schema follows the draft that it names, and has a branch for each kind."""
    Draft202012Validator.check_schema(SCHEMA)
    branches = {branch["then"]["$ref"].rpartition("/")[2] for branch in SCHEMA["allOf"]}
    assert {EVENT_PREFIX + kind for kind in find_kinds()} == branches
    assert SCHEMA["properties"]["ev"]["enum"] == find_kinds()


def test_kinds_are_those_of_the_reader() -> None:
    """Schema and reader know the same kinds; the first line is told apart from events."""
    assert {"config", *EXPLAINED_KINDS, *IGNORED_KINDS} == set(find_kinds())


@pytest.mark.parametrize("kind", EXPLAINED_KINDS)
def test_required_fields_are_those_of_the_reader(kind: str) -> None:
    """What the reader asks for is required by the schema, and nothing else is."""
    assert set(EXPLAINED_KINDS[kind]) == set(get_event(kind)["required"])


def test_more_fields_are_those_of_the_reader() -> None:
    """Fields that depend on the role, on the append, and those of list items."""
    assert set(COMMON_FIELDS) == set(SCHEMA["required"])
    appended = get_event("put")["dependentRequired"]["append_status"]
    assert set(APPENDED_FIELDS) == {"append_status", *appended}
    for kind in BROKER_KINDS:
        event = get_event(kind)
        by_role = event.get("anyOf") or [event["else"], event["then"]]
        assert [set(MASTER_FIELDS), set(SLAVE_FIELDS)] == [set(x["required"]) for x in by_role]
    items = {name: SCHEMA["$defs"][LIST_DEFINITIONS[name]]["required"] for name in LIST_FIELDS}
    assert {name: set(fields) for name, fields in LIST_FIELDS.items()} == {
        name: set(required) for name, required in items.items()
    }


def test_optional_fields_are_those_of_the_reader() -> None:
    """What an event and an item of a list may carry beside what they must."""
    for kind in find_kinds():
        event = get_event(kind)
        more = {*MASTER_FIELDS, *SLAVE_FIELDS} if kind in BROKER_KINDS else set()
        more |= {*APPENDED_FIELDS} if kind == "put" else set()
        optional = set(event["properties"]) - set(EXPLAINED_KINDS.get(kind, ())) - more
        assert kind == "config" or optional == set(OPTIONAL_FIELDS.get(kind, ()))
    for name, must in LIST_FIELDS.items():
        may = set(SCHEMA["$defs"][LIST_DEFINITIONS[name]]["properties"]) - set(must)
        assert may == set(OPTIONAL_ITEM_FIELDS.get(name, ()))


def test_page_names_every_kind_with_its_fields() -> None:
    """The tables of kinds have a row for each, with what it must carry and what it may carry."""
    rows = {find_identifiers(row[0])[0]: row for row in find_table_rows("Kinds of events")}
    assert sorted(find_kinds()) == sorted(rows)
    for kind, (_, meaning, required, optional) in rows.items():
        event = get_event(kind)
        by_role = {*MASTER_FIELDS, *SLAVE_FIELDS} if kind in BROKER_KINDS else set()
        assert event["description"] == meaning
        assert event["required"] == find_identifiers(required)
        assert set(event["properties"]) - set(event["required"]) - by_role == set(
            find_identifiers(optional)
        )


def test_page_explains_every_field() -> None:
    """Each field of each kind and of each item has a row with its meaning."""
    explained = {(find_identifiers(row[0])[0], row[2]) for row in find_table_rows("Fields")}
    definitions = SCHEMA["$defs"].values()
    properties = (d["properties"] for d in definitions if "properties" in d)
    for name, field in (item for fields in properties for item in fields.items()):
        shared = SCHEMA["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
        meaning = field.get("description") or shared.get("description", "")
        assert (name, meaning) in explained


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings_follow_the_schema(path: Path) -> None:
    """Every line of every recording is an event of the format."""
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong = {}
    for event in map(json.loads, lines):
        if errors := explain_errors(event):
            wrong[event["seq"]] = errors
    assert {} == wrong


def test_example_follows_the_schema_and_conforms(tmp_path: Path) -> None:
    """The ten lines of the page are a recording that the model explains."""
    lines = find_example().splitlines()
    assert 10 == len(lines)
    assert [] == [error for line in lines for error in explain_errors(json.loads(line))]
    path = tmp_path / "example.jsonl"
    path.write_text(find_example(), encoding="utf-8")
    verdict = check_trace(path)
    assert verdict.is_conforming, verdict


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (0, {"format": 2}),
        (1, {"max_offset": -1}),
        (1, {"connections": None}),
        (4, {"slave_offset": 0.5}),
        (5, {"link": "slave1"}),
        (8, {"put_status": "OK"}),
        (8, {"wrote_bytes": None}),
    ],
)
def test_schema_refuses_what_is_wrong(number: int, changes: dict[str, Any]) -> None:
    """A changed field makes a line of the example no event; None takes the field away."""
    event = json.loads(find_example().splitlines()[number]) | changes
    kept = {name: value for name, value in event.items() if value is not None}
    assert explain_errors(kept)
