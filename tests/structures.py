"""The structures and parameters that tests run on."""

from __future__ import annotations

import attrs
from attrs import evolve

from properties.certificates import CERTIFIED_STRUCTURES
from reference.structure import SMALL_PARAMETERS, FaultCounts, Structure

STRUCTURES = list(CERTIFIED_STRUCTURES)
"""Every structure that has a certificate."""

SYNCHRONOUS_PAIR = Structure()
"""SYNC_MASTER, ASYNC_FLUSH, one slave: RocketMQ's stock synchronous pair."""

TWO_OF_EACH = evolve(
    SMALL_PARAMETERS, limits=FaultCounts(*[2] * len(attrs.fields_dict(FaultCounts)))
)
"""A log of a few bytes, every fault at most twice."""


def name_of(value: object) -> str:
    """A readable test id."""
    return str(getattr(value, "name", value))
