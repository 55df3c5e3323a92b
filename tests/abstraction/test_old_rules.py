"""Rules as they were once: what the bytes do is then no step of any rule, or less than one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reference.language.machine import Machine
from reference.worlds.replication import dispatch
from tests.abstraction import extremes, steps
from tests.abstraction.covering import MACHINE, find_cover, probe
from tests.abstraction.forgetting import forget
from tests.abstraction.gap_examples import History
from tests.abstraction.group import STRUCTURE
from tests.abstraction.rows import UNCOVERED, find_exception, find_rule, read_case
from tests.abstraction.test_rows import STORED
from tests.oracle.comparing import read_rows


def leave_out(*names: str) -> Machine:
    """The machine without some rules."""
    machine = Machine(STRUCTURE)
    machine.instances = {
        key: one for key, one in machine.instances.items() if one.rule.name not in names
    }
    return machine


NEEDED: dict[str, Callable[[], History]] = {
    "restart_slave_beyond_received": extremes.lack_one_byte,
    "restart_slave_with_stale_bytes": extremes.read_old_record,
    "restart_master_with_stale_bytes": extremes.write_before_stale_record(192),
    "lose_master_power_in_record": extremes.lose_page_of_first_file,
    "append_at_wrong_offset": extremes.copy_to_wrong_place(1),
}


@pytest.mark.parametrize("name", NEEDED)
def test_each_rule_of_real_recovery_is_needed(name: str) -> None:
    """Without it the same step of bytes is no step of the machine."""
    history = NEEDED[name]()
    assert history.step is not None
    before = forget(history.before)
    assert find_cover(before, history.step)[0] is not None
    assert find_cover(before, history.step, leave_out(name))[0] is None


def test_recovery_that_never_exceeds_what_was_received() -> None:
    """Rows of real classes are then not covered, some of each family of cuts."""
    families = set()
    old = leave_out("restart_slave_beyond_received")
    for row in read_rows(STORED):
        if row["family"] in UNCOVERED or find_exception(row) is not None:
            continue
        if find_rule(read_case(row, is_followed=False), old)[0] is None:
            families.add(row["family"])
    assert {"cut_every_byte", "multi_file_cut", "slave_begins_later"} <= families


def expire_before_dispatch() -> History:
    """A dispatcher in the first file, which is deleted; the log has another one."""
    put = History().put(400).do(steps.dispatch_broker, "master").put(400).put(400)
    put.do(steps.expire, "master")
    return put.do(steps.dispatch_broker, "master")


def is_dispatch_enabled(history: History) -> bool:
    """The rule says that the dispatch goes on."""
    instance = MACHINE.instances["dispatch_master"]
    return not probe(instance, forget(history.group))[0]


def test_a_dispatcher_below_the_first_file_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """It rests for ever, and the rule says so; without its condition it would go on (T4-00462)."""
    history = expire_before_dispatch()
    assert history.before.master.store.reput_from_offset_bytes == 400
    assert history.group.master.store == history.before.master.store
    assert not is_dispatch_enabled(history)
    monkeypatch.setattr(dispatch, "is_dispatch_file_there", lambda cluster, log: True)
    assert is_dispatch_enabled(history)
