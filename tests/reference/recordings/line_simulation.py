"""Recordings of puts in the line of a group transfer that never ran: a simulation of its loop.

Beside real recordings of single time-outs these have many at once. A link is stalled, producers go
on to put, and when it is healed the reports come one by one. ``GroupTransferService`` serves the
puts one after another, a second at a time (V-11), and each line is written a little late.
"""

from __future__ import annotations

import heapq
import random
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from reference.recordings.kinds import IGNORED_KINDS
from reference.recordings.reading import Event, Recording, read_recording

DATA = Path(__file__).parents[2] / "data" / "traces_498"
STALLED = read_recording(DATA / "v498_c_sync_stall_heal.jsonl")
(TEMPLATE,) = (event for event in STALLED.events if event.data.get("msg_id") == "st0")
BEFORE = tuple(e for e in STALLED.events if e.seq < TEMPLATE.seq and e.kind not in IGNORED_KINDS)
"""Up to the stall."""

BASE, SIZE = TEMPLATE["wrote_offset"], TEMPLATE["wrote_bytes"]
"""Where the first put begins, and how large each is."""

WAIT_MS = 1000.0
READ_MS = 0.1
"""What the master takes to read a report that was forwarded."""


@frozen
class Answer:
    """One put: its place, when it was called, when its line was written, and its status."""

    number: int
    begin_ms: float
    end_ms: float
    status: str


@frozen
class World:
    """What a simulation draws."""

    chance: random.Random
    timeout_ms: int
    healed_ms: float
    appended_ms: list[float] = field(factory=list)
    """When each put got its place."""

    def list_reports(self) -> list[tuple[float, int]]:
        """When each put's end is reported: behind the heal, and one after another."""
        found: list[tuple[float, int]] = []
        last_ms = self.healed_ms + 1.5
        for number, appended_ms in enumerate(self.appended_ms):
            is_held = appended_ms < self.healed_ms
            last_ms = last_ms + 0.15 if is_held else max(last_ms, appended_ms + 1.2)
            found.append((last_ms, BASE + SIZE * (number + 1)))
        return found

    def compute_push2(self, now_ms: float) -> int:
        """The highest report that has been read."""
        read = [offset for t_ms, offset in self.list_reports() if t_ms + READ_MS <= now_ms]
        return max([BASE, *read])

    def find_next_wake(self, now_ms: float) -> float:
        """When the next report is read."""
        later = [t_ms + READ_MS for t_ms, _ in self.list_reports()]
        return min((t_ms for t_ms in later if t_ms > now_ms), default=float("inf"))

    def serve(self, turn_ms: float, deadline_ms: float, end_offset: int) -> tuple[float, str]:
        """``doWaitTransfer`` for one put: when it is answered, and how."""
        now_ms = turn_ms
        while self.compute_push2(now_ms) < end_offset:
            if now_ms >= deadline_ms:
                return now_ms, "FLUSH_SLAVE_TIMEOUT"
            late_ms = self.chance.random() * 0.5
            now_ms = min(now_ms + WAIT_MS + late_ms, self.find_next_wake(now_ms))
        return now_ms, "PUT_OK"


def simulate(seed: int) -> Recording:
    """A recording of a few producers, drawn at random."""
    chance = random.Random(seed)
    timeout_ms = chance.choice([500, 800, 1000, 3000])
    world = World(
        chance, timeout_ms, chance.choice([200, 1200, 2700, 4500]) + chance.random() * 500
    )
    answers = run_producers(world, chance.choice([1, 2, 4, 8, 12]), chance.choice([8, 16]))
    nodes = {
        name: {**node, "store_config": {**node["store_config"], "slaveTimeout": timeout_ms}}
        for name, node in STALLED.config["nodes"].items()
    }
    config = evolve(STALLED.config, data={**STALLED.config.data, "nodes": nodes})
    return evolve(STALLED, config=config, events=(*BEFORE, *make_events(world, answers)))


def run_producers(world: World, producers: int, total: int) -> list[Answer]:
    """Each producer puts again soon after its answer; the line is served in order."""
    chance = world.chance
    calls = [chance.random() * chance.choice([0.5, 3, 400]) for _ in range(producers)]
    heapq.heapify(calls)
    line: list[tuple[float, float, int]] = []
    answers: list[Answer] = []
    free_ms = 0.0
    while len(world.appended_ms) < total or line:
        next_ms = calls[0] if calls and len(world.appended_ms) < total else float("inf")
        if line:
            asked_ms, begin_ms, number = line[0]
            turn_ms, deadline_ms = max(asked_ms, free_ms), asked_ms + world.timeout_ms
            done_ms, status = world.serve(turn_ms, deadline_ms, BASE + SIZE * (number + 1))
            if done_ms < next_ms:
                heapq.heappop(line)
                free_ms = done_ms
                end_ms = done_ms + chance.choice([0.1, 0.3, 1, 3, 12])
                answers.append(Answer(number, begin_ms, end_ms, status))
                heapq.heappush(calls, end_ms + 0.2 + chance.random() * 100)
                continue
        begin_ms = heapq.heappop(calls)
        number = len(world.appended_ms)
        world.appended_ms.append(begin_ms + 0.02)
        heapq.heappush(line, (begin_ms + chance.choice([0.05, 0.3, 1]), begin_ms, number))
    return answers


def make_events(world: World, answers: list[Answer]) -> tuple[Event, ...]:
    """What a proxy and the producers would have noted."""
    link = {"link": "link_slave1"}
    found: list[tuple[float, int, dict[str, Any]]] = []
    found.append((world.healed_ms, 0, {"ev": "link_healed", **link}))
    for number, (reported_ms, offset) in enumerate(world.list_reports()):
        sent_ms = max(world.appended_ms[number], world.healed_ms) + 0.5
        frame = {"ev": "ha_frame", **link, "conn": 1, "master_offset": offset - SIZE}
        found.append((sent_ms, 1, {**frame, "body_bytes": SIZE}))
        report = {"ev": "ha_report", **link, "conn": 1, "slave_offset": offset}
        found.append((reported_ms, 2, report))
    found += [(each.end_ms, 3, describe(world, each)) for each in answers]
    found.sort(key=lambda item: item[:2])
    return tuple(
        make_event(seq, t_ms, data) for seq, (t_ms, _, data) in enumerate(found, start=TEMPLATE.seq)
    )


def describe(world: World, answer: Answer) -> dict[str, Any]:
    """The line of a put."""
    place = answer.number * SIZE
    appended = sum(t_ms <= answer.end_ms for t_ms in world.appended_ms)
    return {
        **TEMPLATE.data,
        "t_begin_ms": TEMPLATE["t_begin_ms"] + answer.begin_ms,
        "duration_ms": answer.end_ms - answer.begin_ms,
        "put_status": answer.status,
        "wrote_offset": BASE + place,
        "queue_offset": TEMPLATE["queue_offset"] + answer.number,
        "push2_slave_before": world.compute_push2(answer.begin_ms),
        "push2_slave_after": world.compute_push2(answer.end_ms),
        "max_offset_after": BASE + SIZE * appended,
    }


def make_event(seq: int, t_ms: float, data: dict[str, Any]) -> Event:
    """An event at a time since the first call."""
    now_ms = TEMPLATE["t_begin_ms"] + t_ms
    return Event(seq, seq, now_ms, data["ev"], {**data, "seq": seq, "t_ms": now_ms})
