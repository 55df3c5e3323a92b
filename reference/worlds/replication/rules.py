"""The rules of replication in RocketMQ 4.4.0, collected from their topics."""

from __future__ import annotations

from reference.language.rule import Rule, collect_rules
from reference.worlds.replication import (
    commit_log,
    connection,
    dispatch,
    faults,
    flush,
    lifecycle,
    producer,
    put,
    replication,
)

RULES: dict[str, Rule] = collect_rules(
    commit_log,
    flush,
    dispatch,
    put,
    producer,
    connection,
    replication,
    lifecycle,
    faults,
)
"""Every rule by name, in the order of the book."""
