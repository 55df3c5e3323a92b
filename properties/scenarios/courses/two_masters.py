"""Two masters at once: the old one takes messages again while its promoted slave is the master.

No master fetches anything from another broker (R-HA-01), so neither changes what the other has, and
it is the same whether they run at one time or one after the other. Here one takes a message, then
the other one does; clients are sent to whichever registered last (R-NS-02). Afterwards a single
store is kept for both, or the old master becomes the slave of the new one as it is.
"""

from __future__ import annotations

from attrs import evolve

from properties.scenarios.procedures.outages import ASKED, MasterOutage
from properties.scenarios.procedures.procedures import ORDERS
from properties.scenarios.procedures.recoveries import (
    PROMOTED,
    START_ALL,
    STOP_SLAVES,
    Recovery,
    RecoveryOutcome,
    begin_file,
    copy_to_slave,
    for_each_slave,
    make_room_for_promotion,
    promote,
    put_one,
    settle,
    start_master,
    stop_master,
    try_recovery,
)
from reference.worlds.replication.state import Cluster, Message

MORE_EPOCHS, MORE_MESSAGES = 2, 2
"""Each of the two masters writes an epoch of its own, and takes a followed message."""


def take_message(state: Cluster) -> list[Cluster]:
    """The master, which is alone, takes a message, and answers it if it can."""
    ends = (list(settle(put_one(state), number))[-1] for number in range(len(ORDERS)))
    return list(dict.fromkeys(ends))


KEEP_ONE_STORE = (begin_file, stop_master, for_each_slave(copy_to_slave), *START_ALL)
OLD_TAKES_MESSAGE = (STOP_SLAVES, start_master, take_message, stop_master)

ENDS_OF_TWO_MASTERS = (
    Recovery(
        "Keep the new master's store",
        (*OLD_TAKES_MESSAGE, promote, take_message, *KEEP_ONE_STORE),
        is_promotion=True,
    ),
    Recovery(
        "Keep the old master's store",
        (*PROMOTED, take_message, stop_master, promote, take_message, *KEEP_ONE_STORE),
        is_promotion=True,
    ),
    Recovery(
        "The old master becomes the slave, its store as it is",
        (*OLD_TAKES_MESSAGE, promote, take_message, *START_ALL),
        is_promotion=True,
    ),
)
"""How it may end. The store that is kept is that of the broker that is promoted last."""


def list_ends(outage: MasterOutage, role: str, release: str = "") -> tuple[RecoveryOutcome, ...]:
    """What each way to end it gives, in their order, from a situation without a master."""
    state = outage.make_cluster(role, release)
    for _ in range(MORE_EPOCHS):
        state = make_room_for_promotion(state)
    messages = (*state.messages, *(Message() for _ in range(MORE_MESSAGES)))
    group = evolve(state.structure, messages=len(messages))
    begun = evolve(state, structure=group, messages=messages)
    return tuple(try_recovery(each, begun, ASKED, None) for each in ENDS_OF_TWO_MASTERS)
