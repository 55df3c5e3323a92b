"""The page about vectors shows what the exporter writes."""

import json
import re
from typing import Any

from properties.generated_text import SPEC
from properties.vectors.schedules import FORMAT, make_vector
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SMALL_PARAMETERS

PAGE = (SPEC / "vectors.md").read_text(encoding="utf-8")
OBJECT = PAGE.partition("## Schedules with every leaf")[2]
"""The part about the schedules of structures."""


def get_example() -> dict[str, Any]:
    """The worked example of the page."""
    example: dict[str, Any] = json.loads(OBJECT.partition("```json\n")[2].partition("```")[0])
    return example


def make_same(example: dict[str, Any]) -> dict[str, Any]:
    """The exporter's vector for the example's structure and steps."""
    given = example["structure"]
    structure = ClaimedGroup(
        role=Role[given["role"]],
        flush_disk_type=FlushDiskType[given["flush_disk_type"]],
        slaves=given["slaves"],
    )
    schedule = [Action(step["rule"], step["arguments"]) for step in example["steps"]]
    return make_vector(example["name"], structure, SMALL_PARAMETERS, schedule)


def is_part_of(part: Any, whole: Any) -> bool:
    """The whole has everything that the part has; objects may have more fields."""
    if isinstance(part, dict):
        return all(name in whole and is_part_of(value, whole[name]) for name, value in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_part_of, part, whole))
    return bool(part == whole)


def test_example_is_what_the_exporter_writes() -> None:
    """Every field and every leaf that the example shows has the exporter's value."""
    example = get_example()
    assert is_part_of(example, make_same(example))


def test_page_names_every_field() -> None:
    """The tables of the page have the fields of a vector and of a step, in their order."""
    vector = make_same(get_example())
    named = re.findall(r"^\| `(\w+)` \|", OBJECT, re.MULTILINE)
    assert [*vector, "rule", "arguments", "changes"] == named
    assert FORMAT == get_example()["format"]
