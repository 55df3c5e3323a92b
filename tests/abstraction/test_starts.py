"""The world of starts against stores in bytes: a start on paper ends as the world says."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import evolve

from brokers.disk.files.folders import COMMIT_LOG, CONSUME_QUEUE, find_store
from brokers.disk.starting import StartOutcome, StoreStart, compute_start, read_inputs
from properties.worlds.starts.world import STARTS_STRUCTURES, ClaimedStarts
from reference.language.machine import Action, Machine, compute_machine
from reference.releases.start_rules import StartRules, make_start_rules
from reference.store.consume_queue import CQ_STORE_UNIT_SIZE_BYTES
from reference.store.put import MessageToPut
from reference.store.store import Store
from reference.worlds.starts.lifecycle import has_empty_queue_file
from reference.worlds.starts.state import (
    ABSENT,
    DOWN,
    EMPTY,
    RECOVERING,
    SIZED,
    StartingBroker,
    StartsFaults,
    StartsParameters,
)
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import FILE_SIZE, MASTER, fill, kill, stop

RELEASES = {
    "starts/4.4.0": ("4.4.0", "4.9.2", "5.5.0"),
    "starts/4.5.1": ("4.5.1", "4.9.8"),
    "starts/5.0.0": ("5.0.0", "5.1.2"),
    "starts/5.1.3": ("5.1.3", "5.3.3"),
    "starts/5.3.0 with SYNC_FLUSH": ("5.3.0", "5.4.0"),
}
"""Releases of each structure."""

PLACES = 20
"""Entries of a queue's file, by the store's settings."""

EARLIER = [MessageToPut("T", 0, body=b"b")] * PLACES
OTHER = MessageToPut("U", 0, body=b"b")
FOLLOWED = MessageToPut("T", 0, body=b"b")

LIMITS = StartsParameters(
    limits=StartsFaults(stops=1, kills=1, kills_in_file_creation=1, power_losses=2)
)


def list_ends(structure: ClaimedStarts) -> Iterator[StartingBroker]:
    """Every reachable state of a broker that is down and whose start is not yet refused."""
    machine = compute_machine(structure)
    left = [structure.make_initial(LIMITS)]
    found, told = set(left), set()
    while left:
        state = left.pop()
        shown = show(state)
        if state.phase == DOWN and not state.is_refused and shown not in told:
            told.add(shown)
            yield shown
        after = [
            machine.step(state, Action(e.instance.name)).cluster for e in machine.enabled(state)
        ]
        left += [new for new in dict.fromkeys(after) if new not in found]
        found.update(after)


def show(state: StartingBroker) -> StartingBroker:
    """What a start can see of a state: not what the disk has of it, nor the past."""
    log_file, queue_file = (
        evolve(f, disk_stage=ABSENT) for f in (state.log_file, state.queue_file)
    )
    return evolve(
        state,
        faults=StartsFaults(),
        log_file=log_file,
        queue_file=queue_file,
        is_stored_on_disk=False,
        is_entered_on_disk=False,
        ghost_was_entered=False,
    )


def start(machine: Machine, state: StartingBroker) -> StartingBroker:
    """The state after a start that nothing interrupts: the broker serves, or is refused."""
    while True:
        enabled = {e.instance.rule.name: e.instance.name for e in machine.enabled(state)}
        begun = state.phase == RECOVERING
        names = (
            *("refuse_empty_queue_file", "finish_start", "refuse_short_file", "load_files"),
            *(("open_queue_file", "size_queue_file", "enter_message") if begun else ()),
        )
        name = next((name for name in names if name in enabled), None)
        if name is None:
            return state
        state = machine.step(state, Action(enabled[name])).cluster


@cache
def make_store(is_stored: bool, is_killed: bool) -> Store:
    """A store with these messages, after a kill or a clean stop."""
    messages = [*EARLIER, OTHER, *([FOLLOWED] if is_stored else [])]
    return kill(fill(MASTER, messages)) if is_killed else stop(fill(MASTER, messages))


def render(state: StartingBroker, root: Path) -> None:
    """A store with such newest files: one full file of a queue, and one more message.

    That message is in no queue, so that no queue points to the log's end.
    """
    render_store(make_store(state.is_stored, state.has_abort_file), root)
    if state.has_abort_file:
        shutil.rmtree(root / CONSUME_QUEUE / "U")
    queue = root / CONSUME_QUEUE / "T" / "0" / f"{PLACES * CQ_STORE_UNIT_SIZE_BYTES:020d}"
    if not state.is_entered:
        queue.unlink(missing_ok=True)
        make_file(queue, state.queue_file.stage, PLACES * CQ_STORE_UNIT_SIZE_BYTES)
    last = max(int(file.name) for file in (root / COMMIT_LOG).iterdir())
    make_file(root / COMMIT_LOG / f"{last + FILE_SIZE:020d}", state.log_file.stage, FILE_SIZE)


def make_file(path: Path, stage: int, length: int) -> None:
    """A file at this stage of its making."""
    if stage != ABSENT:
        path.write_bytes(bytes(length if stage == SIZED else 0))


def start_on_paper(state: StartingBroker, rules: StartRules) -> StoreStart:
    """What a start makes of a store in that state."""
    with tempfile.TemporaryDirectory() as name:
        render(state, Path(name))
        folder = find_store(Path(name))
        return compute_start(read_inputs(folder, rules, lambda _: None))


@pytest.mark.parametrize("structure", STARTS_STRUCTURES, ids=lambda s: s.name)
def test_a_start_on_paper_ends_as_the_world_says(structure: ClaimedStarts) -> None:
    """From every state in which a broker can be left; entered are the same messages.

    After a clean stop queues point to the log's end, and a place of zeros counts as an entry.
    """
    machine, outcomes = compute_machine(structure), set()
    ends = [s for s in list_ends(structure) if s.is_stored or not s.is_entered]
    for state, release in itertools.product(ends, RELEASES[structure.name]):
        rules = make_start_rules(release)
        told, after = start_on_paper(state, rules), start(machine, state)
        assert told.is_started == (not after.is_refused), (release, state, told.problem)
        outcomes.add(told.outcome)
        if told.is_started:
            is_zero_counted = rules.are_entries_known_by_end and not state.has_abort_file
            is_zero_counted = is_zero_counted and has_empty_queue_file(after)
            entries = PLACES + (after.is_entered or is_zero_counted)
            assert told.queues["T", 0].max_index == entries, (release, state)
    is_refusing = structure.is_short_file_refused or structure.is_empty_queue_file_refused
    assert (StartOutcome.REFUSES in outcomes) == is_refusing
    assert {s.log_file.stage for s in ends} == {ABSENT, EMPTY, SIZED}
    assert {s.queue_file.stage for s in ends} == {ABSENT, EMPTY, SIZED}
