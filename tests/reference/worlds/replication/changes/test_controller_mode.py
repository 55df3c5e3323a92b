"""Controller mode of 5.x: who is in the SyncStateSet, what counts, and who follows whom."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from reference.language.leaves import compute_leaf_sorts
from reference.language.machine import Action, compute_machine
from reference.language.rule import collect_rules
from reference.releases.versions import parse_version
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.changes.controller_mode import ABSTRACTED, PARTS
from reference.worlds.replication.controller.sync_state_set import compute_confirm_offset, is_member
from reference.worlds.replication.lineage import has_message, is_prefix
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.state import Cluster
from reference.worlds.replication.structure import Structure

STRUCTURE = Structure(variants=parse_version("5.3.0-controller").variants)
LIMITS = FaultCounts(*(2 for _ in FaultCounts.__attrs_attrs__))
BEGIN = STRUCTURE.make_initial(evolve(SMALL_PARAMETERS, limits=LIMITS))

MEET = ("connect_slave[0]", "report_offset[0]", "receive_report[0]", "position_transfer[0]")
"""An empty slave connects to an empty master, and is about to be sent everything."""
JOIN = (*MEET, "enter_sync_state_set[0]")
PUT = Action("append_message[0]", {"size_bytes": 1, "waits_for_store": 1})
OTHER = Action("append_other_message", {"size_bytes": 1})
ASK = "request_slave_wait[0]"
ANSWER = ("answer_slave_wait[0]", "answer_disk_wait[0]")
STOP = ("begin_master_stop", "finish_master_stop")


def copy(end: int, size: int = 1) -> tuple[Action, ...]:
    """The slave is sent some bytes, appends them, and the master reads its report of them."""
    return (
        Action("transfer_batch[0]", {"size_bytes": size}),
        Action("append_to_slave[0]", {"size_bytes": size}),
        Action("receive_report[0]", {"slave_offset": end}),
    )


def run(*actions: Action | str, begin: Cluster = BEGIN) -> Cluster:
    """The state after these steps, none of which may be refused."""
    cluster = begin
    for action in actions:
        step = Action(action) if isinstance(action, str) else action
        outcome = compute_machine(STRUCTURE).step(cluster, step)
        assert not outcome.is_refused, f"{step}: {outcome.failed}"
        cluster = outcome.cluster
    return cluster


def get_refusal(cluster: Cluster, name: str, **arguments: int) -> tuple[str, ...]:
    """The conditions that keep a step from taking place."""
    return compute_machine(STRUCTURE).step(cluster, Action(name, arguments)).failed


def test_only_controller_mode_has_the_set_and_the_files() -> None:
    """Other structures have no leaf for them, so none of their states and proofs changes."""
    paths = [p for p in compute_leaf_sorts(STRUCTURE) if p.startswith(("in_sync", "epoch_files"))]
    assert ["in_sync_state_set.0", "in_sync_state_set.1"] == paths[:2]
    assert "epoch_files.1.starts.2" in paths
    assert set(compute_leaf_sorts(Structure())) == set(compute_leaf_sorts(STRUCTURE)) - set(paths)
    assert "in_sync_state_set" not in repr(BEGIN)


def test_the_version_has_it_together_with_what_came_before() -> None:
    """5.x with a controller has what 4.6.0 to 4.9.1 changed, and says that it is from source."""
    version = parse_version("5.0.0-controller")
    names = [v.name for v in version.changes]
    assert {"controller_mode", "wait_until_deadline", "answered_in_line"} <= set(names)
    assert "no_slave_wait" not in names
    assert "not compared with recordings" in version.describe()
    assert "from the source of 5.3.3" in VARIANTS["controller_mode"].comes_from
    assert all(sentence.endswith(".") for sentence in ABSTRACTED)
    assert {rule for part in PARTS for rule in collect_rules(part)} <= {*STRUCTURE.rules}
    assert "create_slave_file" in RULES


def test_a_master_that_is_alone_in_the_set_acknowledges_by_itself() -> None:
    """With minInSyncReplicas=1, a slave that is merely connected is not asked."""
    acknowledged = run(*MEET, PUT, ASK, *ANSWER)
    assert is_acknowledged(acknowledged.messages[0])
    assert not acknowledged.messages[0].ghost_is_received


def test_a_member_is_waited_for_until_it_is_out() -> None:
    """Also while its connection is gone: only the changed set lets the put go."""
    waiting = run(*JOIN, PUT, ASK, "close_idle_connection[0]")
    assert ("is_reported",) == get_refusal(waiting, "answer_slave_wait[0]")
    assert is_acknowledged(run("leave_sync_state_set[0]", *ANSWER, begin=waiting).messages[0])
    back = run("connect_slave[0]", begin=waiting)
    assert ("is_reported",) == get_refusal(back, "answer_slave_wait[0]")


def test_a_slave_comes_in_with_the_confirm_offset_and_goes_out_when_it_lags() -> None:
    """A member that has everything stays; a stopping master changes nothing."""
    behind = run(*MEET, OTHER)
    assert 1 == compute_confirm_offset(behind)
    assert "has_confirmed" in get_refusal(behind, "enter_sync_state_set[0]")
    member = run(*copy(1), "enter_sync_state_set[0]", begin=behind)
    assert is_member(member, 0)
    assert ("is_behind",) == get_refusal(member, "leave_sync_state_set[0]")
    lagging = run(OTHER, begin=member)
    assert not is_member(run("leave_sync_state_set[0]", begin=lagging), 0)
    stopping = run("begin_master_stop", begin=lagging)
    assert ("is_store_open",) == get_refusal(stopping, "leave_sync_state_set[0]")


def test_the_dispatch_stops_at_the_confirm_offset() -> None:
    """What a member has not reported, no consumer sees; alone, the master shows everything.

    So it does while the member has reported 0 (``v533_controller_h`` seq 64).
    """
    empty = run(*JOIN, OTHER, "dispatch_master")
    assert 1 == empty.master.log.dispatched_offset
    confirmed = run(*JOIN, OTHER, *copy(1), OTHER)
    dispatched = run("dispatch_master", begin=confirmed)
    assert 1 == dispatched.master.log.dispatched_offset
    assert "has_whole_record" in get_refusal(dispatched, "dispatch_master")
    alone = run(OTHER, "dispatch_master")
    assert 1 == alone.master.log.dispatched_offset


def make_acknowledged() -> Cluster:
    """A message lies behind another one, a member has both, and it is acknowledged."""
    return run(*JOIN, OTHER, PUT, *copy(2, 2), ASK, *ANSWER)


@pytest.mark.parametrize("is_confirmed_dispatched", [True, False])
def test_a_tail_that_is_not_confirmed_keeps_no_abort_file(is_confirmed_dispatched: bool) -> None:
    """The dispatch has to come to the confirm offset only (`v533_controller_x` seq 120)."""
    dispatched = [Action("dispatch_master", {"dispatched_offset": 1})] * is_confirmed_dispatched
    stopped = run(*JOIN, OTHER, *copy(1), *dispatched, OTHER, *STOP)
    assert stopped.master.log.max_offset == 2
    assert stopped.master.has_abort_file != is_confirmed_dispatched


def test_an_elected_member_has_what_was_acknowledged() -> None:
    """The master loses its power and its tail; the slave goes on in a new epoch."""
    lost = run(Action("lose_master_power", {"kept_offset": 1}), begin=make_acknowledged())
    elected = run(Action("elect_slave[0]", {"recovered_offset": 2}), begin=lost)
    assert elected.master.is_up
    assert has_message(elected.master.log, elected.messages[0])
    assert (True, False) == elected.in_sync_state_set
    assert lost.master.ghost_life + 1 == elected.master.ghost_life
    assert not elected.slaves[0].is_up
    back = run(
        Action("restart_slave[0]", {"recovered_offset": 1}), "connect_slave[0]", begin=elected
    )
    assert is_prefix(back.slaves[0].log, back.master.log)
    assert "is_member" in get_refusal(run(*STOP, begin=back), "elect_slave[0]")


def test_an_old_master_truncates_what_nobody_else_has() -> None:
    """It comes back as a slave with a put that was never answered, and loses it."""
    unsent = run(*JOIN, OTHER, *copy(1), PUT, ASK, *STOP)
    elected = run(Action("elect_slave[0]", {"recovered_offset": 1}), OTHER, begin=unsent)
    assert 2 == elected.slaves[0].log.max_offset
    back = run(
        Action("restart_slave[0]", {"recovered_offset": 2}), "connect_slave[0]", begin=elected
    )
    assert 1 == back.slaves[0].log.max_offset == back.links[0].reported_offset


def lose_master_power(kept: int) -> Action:
    """The master loses its power, but not its epoch file."""
    return Action("lose_master_power", {"kept_offset": kept})


def test_a_master_that_returns_moves_the_start_of_its_epoch() -> None:
    """A slave with equal bytes never finds a consistent point (`v533_controller_d` seq 147)."""
    again = run("kill_master", "restart_master", begin=make_acknowledged())
    assert (2, 0) == tuple(file.starts[0] for file in again.epoch_files)
    assert again.slaves[0].log.max_offset == again.master.log.max_offset
    assert ("has_consistent_point",) == get_refusal(again, "connect_slave[0]")
    alone = run("leave_sync_state_set[0]", OTHER, begin=again)
    assert (True, False) == alone.in_sync_state_set


def test_a_master_without_bytes_takes_the_tail_from_everybody() -> None:
    """It lost all of its log, begins its epoch at 0 once more, and its slave truncates (K-03)."""
    lost = run(lose_master_power(0), begin=make_acknowledged())
    again = run("restart_master", "connect_slave[0]", begin=lost)
    message = again.messages[0]
    assert is_acknowledged(message)
    assert not has_message(again.master.log, message)
    assert not has_message(again.slaves[0].log, message)


def test_a_new_slave_is_sent_nothing_by_a_master_that_moved_its_first_epoch() -> None:
    """No epoch covers the begin of its log (WriteSocketService#run at 5.3.3)."""
    again = run(OTHER, "kill_master", "restart_master")
    asked = run(*MEET[:3], begin=again)
    assert ("is_epoch_known",) == get_refusal(asked, "position_transfer[0]")


ELECT = Action("elect_slave[0]", {"recovered_offset": 2})
RETURN = (Action("restart_slave[0]", {"recovered_offset": 2}), *MEET)
"""The old master returns as a slave; its first report comes after a heartbeat interval."""


def make_second_epoch() -> Cluster:
    """A member was elected at offset 2, and the old master follows it with a byte more."""
    elected = run("kill_master", ELECT, OTHER, begin=make_acknowledged())
    return run(*RETURN, *copy(3), begin=elected)


def test_a_slave_records_the_epochs_that_it_is_sent() -> None:
    """Both files agree: the first epoch begins at 0, the second one at 2."""
    second = make_second_epoch()
    assert [(0, 2, -1), (0, 2, -1)] == [file.starts for file in second.epoch_files]
    assert [1, 1] == [file.current_epoch for file in second.epoch_files]


def lose_slave_power(kept: int, *, is_epoch_forgotten: bool = False) -> tuple[Action, ...]:
    """A slave loses its power down to an offset, and returns."""
    arguments = {"kept_offset": kept, "is_epoch_forgotten": int(is_epoch_forgotten)}
    return (
        Action("lose_slave_power[0]", arguments),
        Action("restart_slave[0]", {"recovered_offset": kept}),
    )


def test_a_slave_below_its_last_epoch_reports_its_masters_end() -> None:
    """It becomes a member, though it lacks what it reports (`v533_controller_h` seq 225)."""
    lying = run(*lose_slave_power(1), *MEET[:3], begin=make_second_epoch())
    assert 1 == lying.slaves[0].log.max_offset
    assert 3 == lying.master.log.max_offset == lying.links[0].slave_ack_offset
    member = run("enter_sync_state_set[0]", "position_transfer[0]", begin=lying)
    assert is_member(member, 0)
    flapping = run("refuse_frame[0]", "connect_slave[0]", begin=member)
    assert 3 == flapping.links[0].reported_offset


def test_a_slave_that_lost_its_epoch_file_too_is_honest() -> None:
    """Without the entry it truncates to its own end, and is sent the rest."""
    honest = run(*lose_slave_power(1, is_epoch_forgotten=True), *MEET, begin=make_second_epoch())
    assert 1 == honest.links[0].reported_offset
    assert 3 == run(*copy(2), *copy(3), begin=honest).slaves[0].log.max_offset


def test_a_lying_member_loses_what_was_acknowledged() -> None:
    """Nobody else has the put; elected, it never will (`v533_controller_h2` seq 269 to 387)."""
    elected = run(*JOIN, OTHER, OTHER, *copy(2, 2), "kill_master", ELECT, OTHER, "fill_file")
    begin = run(*RETURN, "record_epoch_of_heartbeat[0]", begin=elected)
    lying = run(*lose_slave_power(1), *MEET[:3], "enter_sync_state_set[0]", begin=begin)
    waiting = run(PUT, ASK, begin=lying)
    assert ("is_reported",) == get_refusal(waiting, "answer_slave_wait[0]")
    again = run("close_idle_connection[0]", *MEET[:3], begin=waiting)
    answered = run(*ANSWER, begin=again)
    assert is_acknowledged(answered.messages[0])
    assert not answered.messages[0].ghost_is_received
    lost = run("kill_master", Action("elect_slave[0]", {"recovered_offset": 1}), begin=answered)
    assert (0, 2, -1) == lost.epoch_files[0].starts, "its third epoch is not recorded"
    assert not has_message(lost.master.log, answered.messages[0])
    back = run(Action("restart_slave[0]", {"recovered_offset": 5}), "connect_slave[0]", begin=lost)
    assert back.master.log.max_offset < back.links[0].reported_offset, "the old master is ahead"


def test_a_master_that_returns_may_be_elected_again() -> None:
    """Its new epoch is recorded, and a slave with equal bytes finds the begin of it."""
    begin = run("kill_master", "restart_master_in_next_epoch", begin=make_acknowledged())
    assert (0, 2, -1) == begin.epoch_files[0].starts
    assert 2 == run("connect_slave[0]", begin=begin).links[0].reported_offset


def test_a_connection_goes_on_to_name_the_epoch_that_was_the_last() -> None:
    """A running master is elected again; its slave truncates bytes that it rightly has."""
    again = run(*JOIN, OTHER, *copy(1), "elect_master_again")
    assert (True, False) == again.in_sync_state_set
    member = run("enter_sync_state_set[0]", PUT, *copy(2), ASK, *ANSWER, begin=again)
    assert is_acknowledged(member.messages[0])
    assert [(0, 1, -1), (0, -1, -1)] == [file.starts for file in member.epoch_files]
    back = run("close_idle_connection[0]", "connect_slave[0]", begin=member)
    assert 1 == back.slaves[0].log.max_offset
    assert is_member(back, 0)
    elected = run(*STOP, Action("elect_slave[0]", {"recovered_offset": 1}), begin=back)
    old = run(
        Action("restart_slave[0]", {"recovered_offset": 2}), "connect_slave[0]", begin=elected
    )
    logs = (old.master.log, old.slaves[0].log)
    assert not any(has_message(log, old.messages[0]) for log in logs), "nobody has it any more"


@pytest.mark.parametrize(
    "interruption",
    [
        ("kill_slave_in_frame[0]",),
        (
            "begin_slave_stop[0]",
            Action("discard_frame[0]", {"size_bytes": 2, "is_next_named": 1}),
            "finish_slave_stop[0]",
        ),
    ],
)
def test_the_last_frame_of_an_epoch_names_the_next_one(interruption: tuple[Any, ...]) -> None:
    """Without its bytes, after a kill or a clean stop just then, the slave reports too much."""
    elected = run("kill_master", ELECT, OTHER, begin=make_acknowledged())
    behind = run(
        Action("restart_slave[0]", {"recovered_offset": 2}), "kill_slave[0]", begin=elected
    )
    wiped = run("wipe_slave[0]", "restart_slave[0]", *MEET, begin=behind)
    sent = run(Action("transfer_batch[0]", {"size_bytes": 3}), begin=wiped)
    ended = run(*interruption, "restart_slave[0]", begin=sent)
    assert 0 == ended.slaves[0].log.max_offset
    assert 2 == ended.epoch_files[1].starts[1]
    assert 3 == run("connect_slave[0]", begin=ended).links[0].reported_offset


@pytest.mark.parametrize("is_member_left", [False, True])
def test_a_master_without_its_disk_is_no_master_any_more(is_member_left: bool) -> None:
    """Its id is gone with it: a member follows, or nobody does."""
    begin = make_acknowledged() if is_member_left else run(PUT, ASK, *ANSWER)
    lost = run("lose_master_disk", begin=begin)
    assert ("is_known",) == get_refusal(lost, "restart_master")
    if is_member_left:
        elected = run(Action("elect_slave[0]", {"recovered_offset": 2}), begin=lost)
        assert has_message(elected.master.log, elected.messages[0])
    else:
        assert "is_member" in get_refusal(lost, "elect_slave[0]")


def test_a_wiped_slave_is_no_member_any_more() -> None:
    """Nobody elects an empty broker because another one was a member under its address."""
    wiped = run("kill_slave[0]", "wipe_slave[0]", begin=make_acknowledged())
    assert not is_member(wiped, 0)
    elections = run("kill_master", "restart_slave[0]", begin=wiped)
    assert "is_member" in get_refusal(elections, "elect_slave[0]")


def test_an_empty_slave_is_sent_everything_at_a_rollover() -> None:
    """4.4.0's second false acknowledgement: no report of a file's base without its bytes."""
    full = run(PUT, "fill_file", *MEET[:3], "position_at_last_file[0]")
    assert 0 == full.links[0].arrived_offset
    assert "create_slave_file[0]" not in compute_machine(STRUCTURE).instances
    copied = run(*copy(4, 4), begin=full)
    assert has_message(copied.slaves[0].log, copied.messages[0])


def test_a_member_that_lost_its_tail_may_be_elected() -> None:
    """Between its power loss and the change of the set: what it had acknowledged is gone."""
    cut: Any = Action("lose_slave_power[0]", {"kept_offset": 1})
    back = Action("restart_slave[0]", {"recovered_offset": 1})
    elect = Action("elect_slave[0]", {"recovered_offset": 1})
    elected = run(cut, back, *STOP, elect, begin=make_acknowledged())
    assert is_acknowledged(elected.messages[0])
    assert not has_message(elected.master.log, elected.messages[0])
