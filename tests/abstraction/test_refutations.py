"""The schedules that refute cells are done again by the store in bytes, all but a few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

import pytest
from attrs import evolve

from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action
from tests.abstraction import ends, store_steps
from tests.abstraction.covering import Step
from tests.abstraction.group import Broker, Group, get_begin
from tests.abstraction.replaying import find_replay
from tests.abstraction.store_steps import LOSSES, NotDoneError

Refutations: TypeAlias = Mapping[tuple[Action, ...], tuple[Verdict, ...]]
WORLD = ClaimedGroup().world
PAIRS = [structure for structure in WORLD.structures if structure.slaves == 1]
FOREIGN = {
    "lose_master_power_in_record",
    "restart_master_with_stale_bytes",
    "restart_slave_beyond_received",
    "restart_slave_with_stale_bytes",
}
"""Rules by which a log comes to hold bytes that belong to no record there."""
EQUALITY = ("slave_is_prefix_of_master", "equal_offsets_mean_equal_bytes")
LEFT_OUT_MAX = 5
"""Schedules of a group in which two slaves act."""


def list_refutations(structure: ClaimedGroup) -> Refutations:
    """Each schedule of a group, with the cells that it refutes."""
    found: dict[tuple[Action, ...], tuple[Verdict, ...]] = defaultdict(tuple)
    by_text: dict[str, tuple[Action, ...]] = {}
    for cell in load_cells(structure).values():
        if cell.word is VerdictWord.REFUTED:
            schedule = by_text.setdefault(str(cell.schedule), cell.schedule)
            found[schedule] += (cell,)
    return found


def has_one_slave(schedule: tuple[Action, ...]) -> bool:
    """No step is one of a second slave; the store in bytes has one."""
    return all((action.index or 0) == 0 for action in schedule)


def has_foreign_bytes(schedule: tuple[Action, ...]) -> bool:
    """Some recovery takes other bytes for those of a record."""
    return any(action.rule_name in FOREIGN for action in schedule)


def read(broker: Broker, begin: int, end: int) -> bytes:
    """What its log holds between two offsets."""
    first = get_begin(broker.log)
    whole = b"".join(file.content.data for file in broker.log.mapped_files)
    return whole[begin - first : end - first]


def have_equal_bytes(group: Group) -> bool:
    """Where both logs hold bytes, they hold the same."""
    begin = max(get_begin(group.master.log), get_begin(group.slave.log))
    end = max(begin, min(group.master.max_offset, group.slave.max_offset))
    return read(group.master, begin, end) == read(group.slave, begin, end)


@pytest.mark.parametrize("structure", WORLD.structures, ids=lambda s: s.name)
def test_every_refutation_happens_in_bytes(structure: ClaimedGroup) -> None:
    """Its steps are steps of the store, and what it violates is violated in bytes.

    After each step the state is true of the bytes, and a log holds the followed message in one
    where it does in the other.
    """
    left_out = 0
    for schedule, cells in list_refutations(structure).items():
        if not has_one_slave(schedule):
            left_out += 1
            assert not has_foreign_bytes(schedule)
            continue
        limits = FAULT_MODEL_BY_NAME[cells[0].fault].search_limits
        replayed = find_replay(structure, limits, schedule)
        for cell in cells:
            assert not WORLD.claims[cell.guarantee].predicate(replayed.cluster), cell
            if cell.guarantee in EQUALITY:
                group = replayed.group
                is_longer = group.slave.max_offset > group.master.max_offset
                is_excused = is_longer and cell.guarantee == "slave_is_prefix_of_master"
                assert is_excused or not have_equal_bytes(group), cell
    assert left_out <= (LEFT_OUT_MAX if structure.slaves > 1 else 0)


def recover_no_torn_record(group: Group) -> Step | None:
    """A slave's recovery, if it ended where the received bytes do at the latest."""
    step = ends.restart_slave(group)
    received = group.slave.max_offset
    if step is None or step.after.slave.max_offset <= received:
        return step
    cut = store_steps.cut_log(step.after.slave, received)
    return evolve(step, after=evolve(step.after, slave=cut))


@pytest.mark.parametrize("structure", PAIRS, ids=lambda s: s.name)
def test_another_store_does_not_do_them(
    structure: ClaimedGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were no torn record taken for whole, the schedules that say so would not happen in bytes."""
    refuted = list_refutations(structure)
    name = "restart_slave_beyond_received"
    fired = {schedule: {action.rule_name for action in schedule} for schedule in refuted}
    # What the start behind a power loss finds is known with the loss already.
    foreign = [s for s, rules in fired.items() if name in rules and not rules & set(LOSSES)]
    assert foreign
    start = store_steps.of(recover_no_torn_record)
    monkeypatch.setitem(store_steps.STORE_STEPS, name, start)
    for schedule in foreign:
        limits = FAULT_MODEL_BY_NAME[refuted[schedule][0].fault].search_limits
        with pytest.raises(NotDoneError, match="max_offset"):
            find_replay(structure, limits, schedule)
