"""Controller mode as a variant, and what its rules leave out."""

from __future__ import annotations

from reference.language.variant import Variant
from reference.releases.releases import CONTROLLER, Span

ABSTRACTED = (
    "The controller is always available and forgets nothing. A change of the SyncStateSet reaches "
    "it and the master simultaneously; this represents the union that the master waits for. A "
    "controller that does not answer is one that lets a member leave later.",
    "A handshake is one step: a slave is not killed between the truncation of its log and that of "
    "its epoch file.",
    "A slave truncates wherever the lists agree; 5.x refuses an offset at which no record begins "
    "(DefaultMessageStore#truncateFiles), tries again and stays out. Where a recording shows it, "
    "it is explained.",
    "After a power loss an epoch file is as it was, or lacks its last entry. Entries that were cut "
    "off do not come back, though an emptied list is not written (CheckpointFile#write).",
    "allAckInSyncStateSet is true; inSyncReplicas, minInSyncReplicas and totalReplicas are 1; "
    "enableElectUncleanMaster, syncFromLastFile and asyncLearner are false.",
    "With minInSyncReplicas=2 a put would be refused while the master is alone; one appended "
    "before that would still be answered by the master alone.",
    "A broker whose disk is lost returns under another id. A master is not replaced while it runs; "
    "the controller may elect it again.",
    "Which member is elected is left open: 5.x takes the one with the highest epoch, then the "
    "highest max offset, by heartbeats up to a second old (reference/decisions/controller; before "
    "5.5.1 the difference overflows from 2 GiB on, issue 10578).",
    "The last report over a dead connection is forgotten immediately. While a member is not "
    "connected, the confirm offset is unknown; 5.x keeps the last one.",
    "A report is read in one step; 5.x raises push2SlaveMaxOffset last, after puts were answered "
    "and the set was changed (v533_controller_c seq 74). It computes the confirm offset when a "
    "report comes, and until then keeps the last one (v533_controller_h2 seq 377).",
    "A member that lags may leave at any time (haMaxTimeSlaveNotCatchup); a slave enters only "
    "while every other member is connected and has reported.",
    "A slave that holds unknown bytes after a failed write is not elected.",
    "A master that returns dispatches all of its log, as in 5.0.0; later releases stop at the "
    "confirm offset that they have stored (issue 6662).",
    "A slave truncates when it connects; 5.3.2 and 5.3.3 wait before that, up to 90 s, until its "
    "dispatch has left a loop that it may be in while the log goes beyond the confirm offset "
    "(DefaultMessageStore.ReputMessageService#doReput, issue 9811). An election ends the loop "
    "(v533_controller_m2 seq 142 to 183; where a recording shows it, it is explained).",
    "An elected broker is a SYNC_MASTER, whatever brokerRole says "
    "(ReplicasManager#changeToMaster).",
    "A slave dispatches as in 4.4.0, not up to the confirm offset that its master has sent.",
    "If an elected slave's log ends with a blank, the blank survives its next restart.",
)
"""What the rules leave out or assume of controller mode, in one or two sentences each."""

VARIANT = Variant(
    name="controller_mode",
    sentence="All members of the SyncStateSet must report a put; one replaces a master that ends.",
    comes_from="RocketMQ 5.0.0, enableControllerMode with allAckInSyncStateSet=true (V-32, V-33, "
    "V-35, V-36), from the source of 5.3.3, compared with recordings of it (v533_controller_a, b, "
    "c, d, d2, e, h, h2, m, m2, n, n0, p, t, u, w, w2, x, x2, x3).",
    removes=("create_slave_file", "restart_slave_with_stale_bytes"),
    endless=(
        "connect_slave",
        "position_transfer",
        "record_epoch_of_heartbeat",
        "enter_sync_state_set",
        "leave_sync_state_set",
    ),
    span=Span("5.0.0", modes=(CONTROLLER,)),
)
