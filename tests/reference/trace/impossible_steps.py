"""Steps that no broker can take beside or after another one.

Conformance asks what a broker may do; here stands what it cannot: take both branches of one
decision, take a step twice that can be taken once, or act after its end. With the true rules none
of these is ever possible; a mistake in a rule makes some possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from reference.machine import Action
from reference.state import Cluster

DECISIONS = (
    ("skip_slave_wait", "refuse_slave_wait", "request_slave_wait"),
    ("flush_for_put", "answer_disk_wait", "give_up_disk_wait"),
    ("answer_slave_wait", "wait_one_second", "give_up_slave_wait"),
    ("position_transfer", "position_at_last_file"),
    ("append_to_slave", "append_at_wrong_offset", "refuse_frame", "discard_frame"),
    ("expire_master_file", "expire_uncopied_master_file", "expire_unflushed_master_file"),
    ("expire_slave_file", "expire_unflushed_slave_file"),
    ("begin_master_stop", "finish_master_stop"),
    ("begin_slave_stop", "finish_slave_stop"),
    ("restart_master", "restart_master_without_blank"),
)
"""Branches of one decision of one thread: where one can be taken, the others cannot."""

ONCE = frozenset(
    {
        "answer_disk_wait",
        "answer_slave_wait",
        "begin_master_stop",
        "begin_slave_stop",
        "close_idle_connection",
        "connect_slave",
        "create_first_file",
        "cut_link",
        "fill_file",
        "give_up_disk_wait",
        "give_up_slave_wait",
        "position_at_last_file",
        "position_transfer",
        "refuse_slave_wait",
        "report_offset",
        "request_slave_wait",
        "restart_master",
        "restart_master_without_blank",
        "restart_slave",
        "skip_slave_wait",
        "time_out_slave_wait",
    }
)
"""Steps that cannot be taken twice in a row."""

ENDS_OF_MASTER = ("kill_master", "finish_master_stop", "lose_master_power", "lose_master_disk")
ENDS_OF_SLAVE = ("kill_slave", "finish_slave_stop", "lose_slave_power")
ENDS_OF_LINK = ("cut_link", "close_idle_connection", "refuse_frame", *ENDS_OF_SLAVE)

OF_PUT = (*itertools.chain(*DECISIONS[:3]), "time_out_disk_wait", "time_out_slave_wait")
OF_LINK = (
    "report_offset",
    "receive_report",
    "transfer_batch",
    "create_first_file",
    "close_idle_connection",
    "cut_link",
    "swallow_append_error",
    *DECISIONS[3],
    *DECISIONS[4],
)
OF_MASTER = (
    "append_message",
    "append_other_message",
    "fill_file",
    "flush_master",
    "dispatch_master",
    "refuse_put",
    "send_again",
    "drop_connection",
    "switch_master_role",
    "swallow_flush_error",
    "send_alien_report",
    *DECISIONS[5],
    *DECISIONS[7],
    *ENDS_OF_MASTER,
)
OF_SLAVE = (
    "connect_slave",
    "flush_slave",
    "dispatch_slave",
    *DECISIONS[6],
    *DECISIONS[8],
    *ENDS_OF_SLAVE,
)
"""What a process or a connection does as long as it lives, and not after its end."""

OF_STOPPING_MASTER = ("append_message", "append_other_message", "fill_file", "transfer_batch")
"""What a master no longer does when its stop has begun."""


def list_impossible(
    action: Action, before: Cluster, after: Cluster
) -> Iterator[tuple[str, Cluster, str]]:
    """What cannot be possible beside an action that was taken: instance, state, why not."""
    rule, bracket, index = action.instance.partition("[")
    for branches in DECISIONS:
        if rule in branches:
            yield from ((b + bracket + index, before, "beside") for b in branches if b != rule)
    if rule in ONCE:
        yield action.instance, after, "again after"
    slaves = range(len(after.slaves))
    if rule in ENDS_OF_LINK:
        yield from ((f"{r}{bracket}{index}", after, "after") for r in OF_LINK)
    if rule in ENDS_OF_SLAVE:
        yield from ((f"{r}{bracket}{index}", after, "after") for r in OF_SLAVE)
    if rule in ENDS_OF_MASTER:
        yield from (
            (f"{r}[{s}]", after, "after") for r in (*OF_LINK, "connect_slave") for s in slaves
        )
        yield from ((f"{r}[0]", after, "after") for r in (*OF_PUT, *OF_MASTER))
        yield from ((r, after, "after") for r in OF_MASTER)
    if rule == "begin_master_stop":
        yield from ((f"{r}[{s}]", after, "after") for r in OF_STOPPING_MASTER for s in (0, *slaves))
        yield from ((r, after, "after") for r in OF_STOPPING_MASTER)
    if rule == "begin_slave_stop":
        accepting = ("append_to_slave", "append_at_wrong_offset", "create_first_file")
        yield from ((f"{r}{bracket}{index}", after, "after") for r in accepting)
