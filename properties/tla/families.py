"""Families: what a state has several of, and the sets that an export takes their numbers from."""

from __future__ import annotations

from typing import Any

from reference import state
from reference.tables import state as tables_state

FAMILY_OF = {
    "slaves": "Slaves",
    "links": "Slaves",
    "messages": "Messages",
    "ends": "Lives",
    "in_sync_state_set": "Members",
    "brokers": "Brokers",
}
"""The family of each part of a state that holds several things."""

FAMILY_OF_INDEX = {"slave": "Slaves", "message": "Messages", "broker": "Brokers"}
"""The family of each index that a rule may be instantiated for."""

VARIABLES = {"Slaves": "s", "Messages": "m", "Lives": "t", "Members": "b", "Brokers": "b"}
"""What a bound variable is called that goes through a family."""

_STAGES = ("IDLE", "HALF_ANSWERED", "ANSWERED", "VERSION_TAKEN", "CLEARED")

CODES: dict[str, dict[int, str]] = {
    "phase": {getattr(state, name): name for name in state.PHASE_NAMES},
    "status": {getattr(state, name): name for name in state.STATUS_NAMES},
    "stage": {getattr(tables_state, name): name for name in _STAGES},
}
"""The names of a field's values, where the field holds a code."""


def measure_families(cluster: Any) -> dict[str, int]:
    """How many members each family has in a state."""
    sizes: dict[str, int] = {}
    _measure(cluster, sizes)
    return sizes


def _measure(value: Any, sizes: dict[str, int]) -> None:
    for container, family in FAMILY_OF.items():
        members = getattr(value, container, None)
        if isinstance(members, tuple):
            sizes[family] = len(members)
            for member in members[:1]:
                _measure(member, sizes)
    for part in ("master", "log"):
        inner = getattr(value, part, None)
        if inner is not None:
            _measure(inner, sizes)
