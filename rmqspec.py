"""What testers import: ``from rmqspec import make_state_machine, run_state_machine, STRUCTURES``.

``spec/python_api.md`` says how each is used. A name is looked up when it is first asked for, so a
program pays only for what it takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from properties.verdicts.own_claim import decide_claim, judge_claim
    from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
    from properties.worlds.catalogue import STRUCTURES
    from reference.language.rule import between, rule, when

__all__ = [
    "STRUCTURES",
    "between",
    "decide_claim",
    "judge_claim",
    "make_state_machine",
    "rule",
    "run_state_machine",
    "when",
]

HOMES = {
    "STRUCTURES": "properties.worlds.catalogue",
    "between": "reference.language.rule",
    "decide_claim": "properties.verdicts.own_claim",
    "judge_claim": "properties.verdicts.own_claim",
    "make_state_machine": "properties.walks.hypothesis_machine",
    "rule": "reference.language.rule",
    "run_state_machine": "properties.walks.hypothesis_machine",
    "when": "reference.language.rule",
}
"""The module that defines each name."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"rmqspec has no {name}; it has {', '.join(sorted(HOMES))}")
    return getattr(import_module(HOMES[name]), name)
