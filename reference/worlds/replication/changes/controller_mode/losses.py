"""Faults: what they leave of an epoch file."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import all_of, minimum
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.replication import faults
from reference.worlds.replication.changes.controller_mode.frames import (
    find_epoch_end,
    find_frame_epoch,
)
from reference.worlds.replication.changes.controller_mode.mastership import has_modelled_epoch_left
from reference.worlds.replication.changes.controller_mode.variant import VARIANT
from reference.worlds.replication.commit_log import is_store_open
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    begin_epoch,
    choose_entries,
    find_next_epoch,
    fix_epoch,
    forget_last_entry,
    get_epoch,
    get_file,
    get_place,
    get_sent_starts,
    make_empty_file,
    note_epoch,
    put_file,
)
from reference.worlds.replication.controller.sync_state_set import (
    change_member,
    make_master_alone,
)
from reference.worlds.replication.lifecycle import (
    end_slave,
)
from reference.worlds.replication.mapped_files import (
    compute_file_base,
)
from reference.worlds.replication.replication import (
    has_bytes_in_flight,
    is_accepting,
    is_frame_taken,
)
from reference.worlds.replication.state import (
    Cluster,
    EpochFile,
)


@rule(
    who="fault",
    source="kill -9 of a slave between EpochFileCache#appendEntry and the append at 5.3.3",
    into=VARIANT.rules,
    says="## KILLED, has recorded an epoch that it has no bytes of",
)
def kill_slave_in_frame(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's process is killed after it recorded a frame's epoch, before it appended its bytes.

    The last frame of an epoch names the next one, which begins where the frame ends
    (`v533_controller_e` seq 101). So the file then has an epoch that begins above the log's end
    (`v533_controller_n` seq 170).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    starts, epoch = get_sent_starts(cluster), find_frame_epoch(cluster, slave)
    end = find_epoch_end(cluster, slave, link.next_transfer_offset + 1)
    batch = cluster.parameters.ha_transfer_batch_size_bytes
    file_end = compute_file_base(link.arrived_offset, cluster.parameters)
    file_end += cluster.parameters.mapped_file_size_bytes
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        is_frame_taken=is_frame_taken(broker, link),
        is_last_frame_of_epoch=all_of(
            has_bytes_in_flight(link),
            end <= minimum(link.next_transfer_offset, file_end),
            end - link.arrived_offset <= batch,
        ),
        is_within_limit=is_within_limit(cluster, "slave_kills"),
    )
    # EFFECT
    noted = note_epoch(cluster, slave, find_next_epoch(starts, epoch))
    return count_fault(end_slave(noted, slave, broker.log), "slave_kills")


def make_empty_disk(cluster: Cluster, place: int) -> EpochFile:
    """The epoch file of a broker whose disk is new; the controller still counts its epoch."""
    empty = make_empty_file(cluster.structure.lives)
    return evolve(empty, current_epoch=get_file(cluster, place).current_epoch)


@rule(
    who="fault",
    source="loss of the master's disk, and with it of brokerIdentity; BrokerMetadata at 5.0.0",
    into=VARIANT.rules,
    says="## DISK LOST",
)
def lose_master_disk(cluster: Cluster) -> RuleBody:
    """The master's disk is lost, and with it the id by which the SyncStateSet knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_disk(cluster)
    emptied = put_file(lost, MASTER_PLACE, make_empty_disk(lost, MASTER_PLACE))
    return change_member(emptied, MASTER_PLACE, is_in=False)


@rule(
    who="fault",
    source="removal of a stopped slave's store directory, with brokerIdentity, at 5.0.0",
    into=VARIANT.rules,
    says="## STORE WIPED",
)
def wipe_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a slave that is down is emptied, with the id by which the set knows it."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    wiped: Cluster = yield from faults.wipe_slave(cluster, slave)
    place = get_place(slave)
    return change_member(put_file(wiped, place, make_empty_disk(wiped, place)), place, is_in=False)


def forget_if(cluster: Cluster, place: int, is_forgotten: int) -> Cluster:
    """The cluster in which a broker's epoch file may lack its last entry."""
    file = get_file(cluster, place)
    left = choose_entries(is_forgotten == 1, forget_last_entry(file), file)
    return put_file(cluster, place, left)


@rule(
    who="fault",
    source="power loss of the master's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {state.master.log.max_offset} B",
)
def lose_master_power(cluster: Cluster) -> RuleBody:
    """The master's machine loses power; the last entry of its epoch file may be lost too."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_power(cluster)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, MASTER_PLACE, is_forgotten)


@rule(
    who="fault",
    source="power loss of the master's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {kept_offset} B, takes {state.master.log.max_offset} B for whole",
)
def lose_master_power_in_record(cluster: Cluster) -> RuleBody:
    """The master's machine loses power, and its recovery takes a torn record for whole."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_master_power_in_record(cluster)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, MASTER_PLACE, is_forgotten)


@rule(
    who="fault",
    source="power loss of a slave's machine; CheckpointFile#write at 5.3.3",
    into=VARIANT.rules,
    says="## POWER LOSS, keeps {kept_offset} B",
)
def lose_slave_power(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's machine loses power; the last entry of its epoch file may be lost too."""
    # ENABLED WHEN and EFFECT as in 4.4.0
    lost: Cluster = yield from faults.lose_slave_power(cluster, slave)
    is_forgotten = yield between("is_epoch_forgotten", 0, 1)
    return forget_if(lost, get_place(slave), is_forgotten)


@rule(
    who="fault",
    source="AutoSwitchHAService#changeToMasterWhenLastRoleIsMaster at 5.3.3",
    into=VARIANT.rules,
    says="## CONTROLLER LOSES SIGHT OF THE MASTER, elects it again",
)
def elect_master_again(cluster: Cluster) -> RuleBody:
    """The controller gives the running master up, has no other, and elects it again.

    Its connections stay open. Frames go on to name the epoch that was the last one when they came
    to it, so a connected slave records the new one only after it has connected again
    (`v533_controller_m` seq 83 to 125).
    """
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        has_modelled_epoch_left=has_modelled_epoch_left(cluster),
        is_within_limit=is_within_limit(cluster, "link_cuts"),
    )
    # EFFECT
    fixed = cluster
    for slave in range(len(cluster.slaves)):
        fixed = fix_epoch(fixed, slave)
    end = cluster.master.log.max_offset
    begun = begin_epoch(get_file(fixed, MASTER_PLACE), get_epoch(fixed) + 1, end)
    again = make_master_alone(put_file(fixed, MASTER_PLACE, begun))
    return count_fault(again, "link_cuts")
