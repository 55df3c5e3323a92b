"""The rules of the log, with what readers observe of each."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import Argument, Rule
from reference.worlds.reading import brokers
from reference.worlds.reading.state import MASTER, SLAVE
from reference.worlds.replication.commit_log import compute_second_file
from reference.worlds.replication.lifecycle import is_sound
from reference.worlds.replication.state import Cluster
from reference.worlds.system.indexes import has_one_lineage
from reference.worlds.system.lifting import Lifted, Moment, lift_log_rule
from reference.worlds.system.queues import (
    Make,
    begin_master_at,
    begin_slave_at,
    get_slave_log,
    is_retention_behind,
    lose_on_master,
    lose_on_slave,
    miss_on_slave,
    resume,
    show_on_master,
    show_on_slave,
)
from reference.worlds.system.seen import ObservedStep
from reference.worlds.system.state import THE_SLAVE


def see_dispatch_on_master(moment: Moment) -> tuple[Make, ...]:
    """The master's queue shows the messages that dispatch has reached."""
    return (show_on_master(moment, "index"),)


def see_start_of_master(moment: Moment) -> tuple[Make, ...]:
    """The master reads its progress; its queue shows all that its log has."""
    return (
        lambda _: ObservedStep(True, brokers.start_broker, (MASTER,)),
        show_on_master(moment, "index"),
        show_on_master(moment, "last_index"),
    )


def see_start_of_slave(moment: Moment) -> tuple[Make, ...]:
    """The slave reads its progress; its queue shows all that its log has, and no more."""
    return (
        *lose_on_slave(moment, is_power_loss=False),
        lambda _: ObservedStep(True, brokers.start_broker, (SLAVE,)),
        *show_on_slave(moment),
    )


def see_loss_on_master(moment: Moment) -> tuple[Make, ...]:
    """The master's queue loses the messages that its log has lost."""
    return (lose_on_master(moment),)


def see_power_loss_of_slave(moment: Moment) -> tuple[Make, ...]:
    """The slave's queue loses the messages that its log has lost."""
    return lose_on_slave(moment, is_power_loss=True)


def see_miss(moment: Moment) -> tuple[Make, ...]:
    """The slave's queue misses the messages that dispatch has reached."""
    return (resume(moment), miss_on_slave(moment))


def see_stop_of_master(_moment: Moment) -> tuple[Make, ...]:
    """The master writes its progress and is down."""
    return (lambda _: ObservedStep(True, brokers.stop_broker, (MASTER,)),)


def see_stop_of_slave(_moment: Moment) -> tuple[Make, ...]:
    """The slave writes its progress and is down."""
    return (lambda _: ObservedStep(True, brokers.stop_broker, (SLAVE,)),)


def see_kill_of_master(_moment: Moment) -> tuple[Make, ...]:
    """The master is down."""
    return (lambda _: ObservedStep(True, brokers.kill_broker, (MASTER,)),)


def see_kill_of_slave(_moment: Moment) -> tuple[Make, ...]:
    """The slave is down."""
    return (lambda _: ObservedStep(True, brokers.kill_broker, (SLAVE,)),)


def see_loss_of_disk(_moment: Moment) -> tuple[Make, ...]:
    """The master has lost all its data."""
    return (lambda _: ObservedStep(True, brokers.lose_master_disk),)


def see_wipe(_moment: Moment) -> tuple[Make, ...]:
    """The slave has lost all its data."""
    return (lambda _: ObservedStep(True, brokers.replace_slave),)


def is_slave_bound(cluster: Cluster) -> bool:
    """The master runs and the logs have one lineage: its dispatch first reaches what both have."""
    return has_one_lineage(cluster) & cluster.master.is_up


def stay_behind_master(cluster: Cluster, argument: Argument) -> Argument:
    """The slave's dispatch stays within what its running master's has reached."""
    shown = cluster.master.log.dispatched_offset
    high = choose(is_slave_bound(cluster), minimum(argument.high, shown), argument.high)
    return evolve(argument, high=high)


def go_before_master(cluster: Cluster, argument: Argument) -> Argument:
    """The slave's dispatch goes beyond what its running master's has reached."""
    shown = cluster.master.log.dispatched_offset
    return evolve(argument, low=maximum(argument.low, shown + 1))


def keep_dispatched(cluster: Cluster, argument: Argument) -> Argument:
    """A recovery cuts no record that dispatch has reached: such records are whole (R-RP-02)."""
    shown = minimum(get_slave_log(cluster).dispatched_offset, argument.high)
    is_whole = is_sound(cluster, THE_SLAVE)
    return evolve(argument, low=choose(is_whole, maximum(argument.low, shown), argument.low))


def is_between_messages(cluster: Cluster, start: int) -> bool:
    """No followed message crosses the beginning of a file (R-CL-06)."""
    (put,) = cluster.messages
    return (start <= put.start_offset) | (put.end_offset <= start)


def is_last_file_between_messages(cluster: Cluster) -> bool:
    """The slave's last file does not begin within the followed message (R-CL-06)."""
    return is_between_messages(cluster, get_slave_log(cluster).last_file_offset)


def is_first_file_shown(cluster: Cluster) -> bool:
    """The master's dispatch has reached the beginning of the slave's log.

    A slave that joins late begins with its master's last file, and no dispatch lags by a whole
    file.
    """
    start, shown = get_slave_log(cluster).start_offset, cluster.master.log.dispatched_offset
    is_behind = (start <= shown) & is_between_messages(cluster, start)
    return negate(has_one_lineage(cluster)) | is_behind


def is_begun(cluster: Cluster) -> Mapping[str, bool]:
    """The slave's dispatch does not begin before its master's has reached the same place."""
    return {"is_first_file_shown": is_first_file_shown(cluster)}


def is_bound(cluster: Cluster) -> Mapping[str, bool]:
    """The master runs, and its queue comes first to show what both logs have."""
    return {"is_master_there": is_slave_bound(cluster), **is_begun(cluster)}


def is_start_possible(cluster: Cluster) -> Mapping[str, bool]:
    """The slave's dispatch can begin, and its recovery reads files that begin with a message."""
    is_between = is_last_file_between_messages(cluster)
    return {"is_file_between_messages": is_between, **is_begun(cluster)}


def is_start_bound(cluster: Cluster) -> Mapping[str, bool]:
    """``is_start_possible`` while the master runs."""
    return {**is_bound(cluster), **is_start_possible(cluster)}


def end_with_message(cluster: Cluster, argument: Argument, chosen: int) -> int:
    """A recovery ends where a record ends: after the followed message, or else before it."""
    (put,) = cluster.messages
    is_within = (put.start_offset < chosen) & (chosen < put.end_offset)
    is_whole = put.end_offset <= argument.high
    return choose(is_within, choose(is_whole, put.end_offset, put.start_offset), chosen)


def dispatch_whole(cluster: Cluster, argument: Argument, chosen: int) -> int:
    """Dispatch goes record by record: it passes the followed message, or stays before it."""
    return maximum(end_with_message(cluster, argument, chosen), argument.low - 1)


def leave_out_message(cluster: Cluster, argument: Argument) -> Argument:
    """No recovery ends within the followed message; if no other end is possible, there is none."""
    (put,) = cluster.messages
    is_nowhere = (put.start_offset < argument.low) & (argument.high < put.end_offset)
    high = choose(is_nowhere & (argument.low < put.end_offset), argument.low - 1, argument.high)
    return evolve(argument, high=high)


def go_on_behind_master(cluster: Cluster, argument: Argument) -> Argument:
    """A recovery beyond received bytes stays within what the running master has dispatched."""
    return leave_out_message(cluster, stay_behind_master(cluster, argument))


def go_on_before_master(cluster: Cluster, argument: Argument) -> Argument:
    """A recovery beyond received bytes goes beyond what the running master has dispatched."""
    return leave_out_message(cluster, go_before_master(cluster, argument))


def start_behind_master(cluster: Cluster, argument: Argument) -> Argument:
    """The slave's recovery stays within what its running master has dispatched."""
    return stay_behind_master(cluster, keep_dispatched(cluster, argument))


def start_before_master(cluster: Cluster, argument: Argument) -> Argument:
    """The slave's recovery goes beyond what its running master has dispatched."""
    return go_before_master(cluster, keep_dispatched(cluster, argument))


def has_dispatched_first_file(cluster: Cluster) -> Mapping[str, bool]:
    """The master's retention deletes only messages that both brokers have dispatched."""
    log, slave = cluster.master.log, get_slave_log(cluster)
    start = compute_second_file(log, cluster.parameters)
    is_slave_there = slave.has_file & (start <= slave.max_offset)
    return {
        "is_between_messages": is_between_messages(cluster, start),
        "is_dispatched": is_retention_behind(log, start),
        "is_dispatched_on_slave": negate(is_slave_there) | is_retention_behind(slave, start),
    }


def is_deleted_by_master(cluster: Cluster) -> bool:
    """The master has deleted the messages in the slave's first file."""
    start = compute_second_file(get_slave_log(cluster), cluster.parameters)
    return start <= cluster.master.log.start_offset


def is_slave_second(cluster: Cluster) -> Mapping[str, bool]:
    """The slave deletes messages that it has dispatched and its master has deleted."""
    return {"is_deleted_by_master": is_deleted_by_master(cluster), **has_slave_dispatched(cluster)}


def is_slave_first(cluster: Cluster) -> Mapping[str, bool]:
    """The slave deletes messages that it has dispatched and its master still has."""
    is_kept = negate(is_deleted_by_master(cluster))
    return {"is_kept_by_master": is_kept, **has_slave_dispatched(cluster)}


def has_slave_dispatched(cluster: Cluster) -> Mapping[str, bool]:
    """The slave has dispatched all of its first file."""
    log = get_slave_log(cluster)
    start = compute_second_file(log, cluster.parameters)
    return {
        "is_between_messages": is_between_messages(cluster, start),
        "is_dispatched": is_retention_behind(log, start),
    }


START_OF_MASTER = Lifted(see_start_of_master, ("index", "last_index"))
SHOW_ON_SLAVE = ("index", "first_index")
START_OF_SLAVE = Lifted(
    see_start_of_slave,
    (*SHOW_ON_SLAVE, "kept_index"),
    narrow=start_behind_master,
    guard=is_start_possible,
)
START_OF_SLAVE_AHEAD = evolve(
    START_OF_SLAVE,
    narrow=start_before_master,
    guard=is_start_bound,
    counts="lagging_dispatches",
)
GO_ON = evolve(START_OF_SLAVE, narrow=go_on_behind_master, settle=end_with_message)
GO_ON_AHEAD = evolve(START_OF_SLAVE_AHEAD, narrow=go_on_before_master, settle=end_with_message)
LOSS_ON_MASTER = Lifted(see_loss_on_master, ("index",), ("is_file_lost",))
DELETION_ON_MASTER = Lifted(begin_master_at, ("index",), guard=has_dispatched_first_file)
DELETION_ON_SLAVE = Lifted(begin_slave_at, ("index",), guard=has_slave_dispatched)

SEEN: Mapping[str, tuple[tuple[str, Lifted], ...]] = {
    "dispatch_master": (("", Lifted(see_dispatch_on_master, ("index",), settle=dispatch_whole)),),
    "dispatch_slave": (
        ("", Lifted(show_on_slave, SHOW_ON_SLAVE, narrow=stay_behind_master, guard=is_begun)),
        (
            "dispatch_slave_before_master",
            Lifted(
                show_on_slave,
                SHOW_ON_SLAVE,
                narrow=go_before_master,
                guard=is_bound,
                counts="lagging_dispatches",
            ),
        ),
        (
            "dispatch_slave_in_vain",
            Lifted(
                see_miss,
                ("index",),
                narrow=stay_behind_master,
                guard=is_bound,
                counts="missed_dispatches",
            ),
        ),
    ),
    "restart_master": (("", START_OF_MASTER),),
    "restart_master_without_blank": (("", START_OF_MASTER),),
    "restart_master_behind_blank": (("", START_OF_MASTER),),
    "restart_master_with_stale_bytes": (("", START_OF_MASTER),),
    "restart_slave": (("", START_OF_SLAVE), ("restart_slave_before_master", START_OF_SLAVE_AHEAD)),
    **{
        name: (("", GO_ON), (f"{name}_before_master", GO_ON_AHEAD))
        for name in ("restart_slave_beyond_received", "restart_slave_with_stale_bytes")
    },
    "finish_master_stop": (("", Lifted(see_stop_of_master, counts="master_stops")),),
    "finish_slave_stop": (("", Lifted(see_stop_of_slave, counts="slave_stops")),),
    "kill_master": (("", Lifted(see_kill_of_master)),),
    "kill_slave": (("", Lifted(see_kill_of_slave)),),
    "lose_master_power": (("", LOSS_ON_MASTER),),
    "lose_master_power_in_record": (("", LOSS_ON_MASTER),),
    "lose_master_disk": (("", Lifted(see_loss_of_disk)),),
    "lose_slave_power": (
        ("", Lifted(see_power_loss_of_slave, ("kept_index",), ("is_file_lost",))),
    ),
    "wipe_slave": (("", Lifted(see_wipe)),),
    "expire_master_file": (("", DELETION_ON_MASTER),),
    "expire_uncopied_master_file": (("", DELETION_ON_MASTER),),
    "delete_young_master_file": (("", DELETION_ON_MASTER),),
    "expire_slave_file": (
        ("", evolve(DELETION_ON_SLAVE, guard=is_slave_second)),
        (
            "expire_slave_file_first",
            evolve(DELETION_ON_SLAVE, guard=is_slave_first, counts="early_deletions"),
        ),
    ),
    "delete_young_slave_file": (("", DELETION_ON_SLAVE),),
}
"""By the rule's name: its names in this world, and what readers observe of it. Readers do not
observe rules that are not listed."""


def lift_log_rules(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules of a group's log as rules of the whole system, in their order."""
    unseen = (("", Lifted()),)
    made = [
        lift_log_rule(each, lifted, name)
        for each in rules.values()
        for name, lifted in SEEN.get(each.name, unseen)
    ]
    return {each.name: each for each in made}
