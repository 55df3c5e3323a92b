"""A violating schedule as a test file, which fails when the model no longer agrees."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import replay
from properties.schedules.telling import tell
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version

LINE_WIDTH = 98

TEMPLATE = '''"""{title}

{story}

{origin}
"""

from __future__ import annotations

from properties.schedules.judgement import is_refuted_by, shorten_refutation
from properties.worlds.catalogue import STRUCTURES
{imports}

GUARANTEE = {guarantee}
STRUCTURE = STRUCTURES[{structure}]
PARAMETERS = {parameters}
SCHEDULE = (
{schedule}
)


def test_the_last_step_is_the_first_to_violate() -> None:
    """Every step is possible, and the guarantee holds before the last one."""
    assert is_refuted_by(GUARANTEE, STRUCTURE, PARAMETERS, SCHEDULE)


def test_no_step_can_go() -> None:
    """Without any step, and what is impossible without it, the guarantee is not violated so."""
    assert SCHEDULE == shorten_refutation(GUARANTEE, STRUCTURE, PARAMETERS, SCHEDULE)
'''


def format_regression(
    guarantee: str,
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
    identifier: str,
) -> str:
    """The text of a test file that replays a minimal schedule in the reference.

    The structure must be in ``properties.worlds.catalogue.STRUCTURES``; ``identifier`` names the
    schedule's origin. Raises ScheduleError for a schedule with an impossible step.
    """
    actions = tuple(schedule)
    story = tell(guarantee, list(replay(structure, parameters, actions, (guarantee,))))
    version = find_version(structure.variants).name
    origin = f"A campaign's schedule without its needless steps, for RocketMQ {version}:"
    return TEMPLATE.format(
        title=f"{guarantee} is violated after {len(actions)} steps.",
        story="\n".join(textwrap.fill(str(sentence), LINE_WIDTH) for sentence in story),
        origin=f"{origin}\n{identifier}",
        imports="\n".join(_list_imports(parameters)),
        guarantee=json.dumps(guarantee),
        structure=json.dumps(structure.name),
        parameters=format_record(parameters),
        schedule="\n".join(f"    {format_action(action)}," for action in actions),
    )


def format_action(action: Action) -> str:
    """A step as Python."""
    arguments = f", {json.dumps(dict(action.arguments))}" if action.arguments else ""
    return f"Action({json.dumps(action.instance)}{arguments})"


def format_record(value: Any, indent: str = "") -> str:
    """An attrs object as Python, one field a line; default numbers are left out."""
    inside = indent + "    "
    fields = [
        f"{inside}{field.name}={format_field(getattr(value, field.name), inside)},\n"
        for field in attrs.fields(type(value))
        if getattr(value, field.name) != field.default
    ]
    lines = "\n" + "".join(fields) + indent if fields else ""
    return f"{type(value).__name__}({lines})"


def format_field(value: Any, indent: str) -> str:
    """A number, or an attrs object."""
    return format_record(value, indent) if attrs.has(type(value)) else repr(value)


def _list_imports(record: Any) -> Iterator[str]:
    """The import lines, in order, of what ``format_record`` writes, and of Action."""
    values = [record, *attrs.asdict(record, recurse=False).values()]
    used = {type(v) for v in values if f"{type(v).__name__}(" in format_record(record)}
    by_module: dict[str, set[str]] = {}
    for kind in {*used, Action}:
        by_module.setdefault(kind.__module__, set()).add(kind.__name__)
    for module in sorted(by_module):
        yield f"from {module} import {', '.join(sorted(by_module[module]))}"
