"""What became of the acknowledged puts of a recording, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brokers.explaining.told.acknowledged import Acknowledgements, AtRisk

SEQS_MAX = 6
"""How many events are named; the rest is counted."""


def describe_acknowledged(told: Acknowledgements | None) -> Iterator[str]:
    """How many puts were acknowledged, which of them are not held, and how many nearly were not."""
    if told is None or not told.puts:
        return
    yield f"  {told.puts} {'put was' if told.puts == 1 else 'puts were'} acknowledged"
    if told.unreceived:
        yield f"    on no slave when a synchronous master answered: {name(told.unreceived)}"
    if told.lost:
        yield f"    lost on every broker: {name(sorted(seq for seq, _ in told.lost))}"
    yield from say_risk(told.on_master_alone, "on the master alone")
    yield from say_risk(told.in_memory_alone, "in its memory alone")


def name(seqs: Sequence[int]) -> str:
    """How many puts, and their events."""
    named = ", ".join(map(str, seqs[:SEQS_MAX]))
    return f"{len(seqs)} (seq {named}{', ...' if len(seqs) > SEQS_MAX else ''})"


def say_risk(risk: AtRisk | None, where: str) -> Iterator[str]:
    """How much was in one place, and when."""
    if risk is not None:
        yield f"    most {where}: {risk.puts} ({risk.size_bytes:,} B) at seq {risk.seq}"
