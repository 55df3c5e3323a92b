"""What a recording as a whole tells before its events are explained one by one.

A checker may look ahead: a put is written down at its end only, but its bytes were in the log long
before; a frame that was stalled was sent earlier; whether a kill was a power loss shows in the
store afterwards. All of that is gathered here and never changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, fields, frozen

from brokers.recordings.ahead.blanks import find_cut_ends, list_blanks
from brokers.recordings.ahead.boundaries import MessageTable, make_tables
from brokers.recordings.ahead.elections import (
    ControllerAhead,
    find_elected_ends,
    see_controller,
)
from brokers.recordings.ahead.links import (
    FutureValues,
    LinkAhead,
    gather_link,
    see_ends,
)
from brokers.recordings.ahead.own_writes import Window, list_own_writes, mark_own_writes
from brokers.recordings.ahead.puts import (
    ProcessAhead,
    QueueIndex,
    QueueKey,
    RecordedPut,
    count_overlapping,
    drop_refused_reports,
    find_sampled,
    find_sampled_tails,
    index_queues,
    list_under_way,
    mark_gaps,
    order_puts,
    see_processes,
)
from brokers.recordings.ahead.told import Logs, read_logs
from brokers.recordings.clock import FOREVER_MS, JITTER_MS, Timers, compute_longest_put_ms
from brokers.recordings.groups import LINK_PREFIX, OutsideTheModel
from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.reading import LARGEST_NUMBER, Event, Recording
from brokers.recordings.settings import read_settings
from reference.configuration.keys import KEYS
from reference.releases.timing_differences import (
    BODY_SIZE_LIMIT,
    MESSAGE_MARGIN_BYTES,
    SLAVE_TIMEOUT,
    SLAVE_TIMEOUT_DEFAULT_MS,
)
from reference.releases.versions import Version
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.changes import (
    ack_per_connection,
    no_slave_wait,
    report_capped_from_second,
    scripted_slave,
)
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED
from reference.worlds.replication.changes.settings import frame_beyond_slave_file
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.structure import Structure

MASTER = -1
"""Stands for the master where slaves are told by their number."""

NOT_LIMITED = 1_000_000_000
"""A recording may hold any number of faults: what happened has happened."""

FLUSH_KEYS = {"flushIntervalCommitLog": 500, "flushCommitLogThoroughInterval": 10_000}
"""What an ASYNC_FLUSH broker waits for at most before it flushes all that it has, with the defaults
(R-FL-06, CommitLog.FlushRealTimeService#run); a SYNC_FLUSH one is sooner."""

SCRIPTED = "scripted"
"""A field of a node: somebody plays it."""

SCRIPTED_SLAVE = scripted_slave.VARIANT.name

SPARE_MESSAGES = 2
"""Followed messages beside those of the most puts that overlap: one that is refused, one more."""


@frozen
class Plan:
    """Everything that is known of a recording in advance."""

    recording: Recording
    version: Version
    """What the brokers are taken to be."""
    structure: Structure
    """As many followed messages as puts overlap, and one life per power loss and one more."""
    parameters: Parameters
    """As configured; faults without limit."""
    timers: Timers
    """Of the master."""
    slave_timers: tuple[Timers, ...]
    """Of each slave, with the master's where the master owns the timer."""
    master: str
    """The master's name."""
    slaves: tuple[str, ...]
    """The slaves' names; their numbers are their indexes."""
    puts: tuple[RecordedPut, ...]
    """In the order in which they were appended."""
    put_by_seq: Mapping[int, RecordedPut]
    """The same by event."""
    blank_by_seq: Mapping[int, RecordedPut]
    """By event: the blanks that failed puts have left, each as the put that it is the end of."""
    tables: tuple[MessageTable, ...]
    """The puts by life of the master's log."""
    queue_index: Mapping[QueueKey, QueueIndex]
    """The same by life and queue."""
    queue_names: frozenset[str]
    """The queues that have messages."""
    processes: tuple[ProcessAhead, ...]
    """Each process of the master."""
    are_puts_hidden: bool
    """Messages come through a whole broker, which does not show where they go in the log."""
    are_deletions_shown: bool
    """The recorder tells when old files are deleted."""
    own_writes: tuple[Window, ...]
    """When a whole master may write messages of its own, or of producers that nobody records."""
    links: tuple[LinkAhead, ...]
    """What the recording tells of each slave's link."""
    scripted: frozenset[int]
    """The slaves that somebody plays, or MASTER: no rule says what they do."""
    end_observations: FutureValues
    """Where the master's log is seen to end."""
    surgeries: Mapping[int, Event]
    """By the ``seq`` of a process's end: the surgery on the store before the next start."""
    lost_offsets: Mapping[int, int]
    """By process of the master: from where on such a surgery took its bytes."""
    sampled_processes: frozenset[int]
    """Processes of the master of whose puts the recorder left some out by a stride."""
    sampled_tails: Mapping[int, int]
    """By process of the master: up to where puts without a line may have written behind its last
    one, which the recorder kept by a stride."""
    controller: ControllerAhead
    """What a controller is shown to do."""
    lives: tuple[int, ...]
    """By process of the master: the life of its log; there may be more epochs than lives."""
    logs: Logs
    """What the brokers' own logs tell of their tables, and of clients that are not recorded."""
    roles: tuple[Role, ...]
    """By process of the master: the ``brokerRole`` with which it starts."""

    under_way: tuple[tuple[RecordedPut, ...], ...] = field(init=False)
    """By put: those before it in the log that may have been under way when it was called."""

    @under_way.default
    def _list_under_way(self) -> tuple[tuple[RecordedPut, ...], ...]:
        return list_under_way(self.puts)

    def find_node(self, event: Event) -> int:
        """The number of the slave that an event is about, or MASTER."""
        name = event["node"]
        if name == self.master:
            return MASTER
        if name not in self.slaves:
            raise OutsideTheModel(f"the configuration has no node {name!r}")
        return self.slaves.index(name)

    def find_slave_of_link(self, event: Event) -> int:
        """The number of the slave at the end of an event's link."""
        name = event["link"].removeprefix(LINK_PREFIX)
        if name not in self.slaves:
            raise OutsideTheModel(f"the configuration has no slave for {event['link']!r}")
        return self.slaves.index(name)

    def is_slave_checked(self, process: int) -> bool:
        """A put to this process that waits for the store asks for a slave, and waits for it."""
        return checks_slave(self.roles[process], self.version)

    def list_later(self, event: Event) -> Iterator[Event]:
        """The later events about the broker that an event is about."""
        return self.list_later_of(event["node"], event)

    def list_later_of(self, name: str, event: Event) -> Iterator[Event]:
        """The events about a broker after an event, whatever that is about."""
        later = (each for each in self.recording.events if each.seq > event.seq)
        return (each for each in later if each.data.get("node") == name)

    def list_earlier(self, broker: int, t_ms: float) -> Iterator[Event]:
        """The events about a broker before a moment, the latest first."""
        name = self.master if broker == MASTER else self.slaves[broker]
        events = self.recording.events
        before = events[: bisect_left(events, t_ms, key=get_time_ms)]
        return (each for each in reversed(before) if each.data.get("node") == name)

    @property
    def end_ms(self) -> float:
        """When the recording ended."""
        return self.processes[-1].end_ms


def _see_master(own: list[Event]) -> dict[str, Any]:
    """What the events of the master show of its log, by the fields of a plan."""
    return {
        "end_observations": see_ends(own),
    }


def _index_puts(
    puts: tuple[RecordedPut, ...], blanks: tuple[RecordedPut, ...], lives: int
) -> dict[str, Any]:
    """The puts by place, event, life and queue, by the fields of a plan."""
    return {
        "puts": puts,
        "put_by_seq": {put.seq: put for put in puts},
        "blank_by_seq": {blank.seq: blank for blank in blanks},
        "tables": make_tables(puts, blanks, lives),
        "queue_index": index_queues(puts),
        "queue_names": frozenset(put.queue for put in puts),
        "sampled_processes": frozenset(puts[number].process for number in find_sampled(puts)),
        "sampled_tails": find_sampled_tails(puts),
    }


def _see_own_writes(
    events: Sequence[Event], master: str, node: Mapping[str, Any], logs: Logs
) -> tuple[Window, ...]:
    """When a whole master may write what no event tells.

    These are its own messages, and those of producers that are not recorded.
    """
    producers = (Window(begin_ms, FOREVER_MS) for begin_ms in logs.producers_ms)
    return (*list_own_writes(events, master, node), *producers)


def _add_variants(
    structure: Structure, version: Version, scripted: frozenset[int], *, is_pooled: bool
) -> Structure:
    """The group by the rules of its version, of its settings, and of slaves that somebody plays."""
    variants = (SCRIPTED_SLAVE, *version.variants) if scripted - {MASTER} else version.variants
    if is_pooled:
        variants = (STORE_POOL, *variants)
    if structure.slave_file_size_bytes:
        variants = (frame_beyond_slave_file.VARIANT.name, *variants)
    return evolve(structure, variants=variants)


def make_plan(recording: Recording, version: Version) -> Plan:
    """Everything that is known in advance of a recording of one group of brokers of a version.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    events, nodes = recording.events, recording.config["nodes"]
    master, *slaves = nodes
    surgeries = match_surgeries(events)
    lives = _see_lives(recording, surgeries)
    processes = _see_processes(recording, version)
    timers = make_timers(nodes[master], nodes[master], version)
    roles = _see_roles(events, master, Role[nodes[master]["role"]])
    logs = read_logs(recording.whole or events, nodes)
    own_writes = _see_own_writes(events, master, nodes[master], logs)
    puts = mark_own_writes(_see_puts(recording, lives, processes, timers, roles), own_writes)
    blanks = tuple(list_blanks(events, master, lives, puts))
    controller = see_controller(events, nodes)
    group = _make_structure(nodes[master], len(slaves), puts, 1 + lives[-1], controller)
    structure = evolve(group, slave_file_size_bytes=_see_slave_file_size(nodes, events))
    scripted = _find_scripted(nodes, version)
    return Plan(
        recording=recording,
        version=version,
        structure=_add_variants(structure, version, scripted, is_pooled=has_pool(nodes[master])),
        parameters=make_parameters(nodes[master]["store_config"], version),
        timers=timers,
        slave_timers=tuple(make_timers(nodes[master], nodes[name], version) for name in slaves),
        master=master,
        slaves=tuple(slaves),
        **_index_puts(puts, blanks, structure.lives),
        processes=processes,
        **_see_kinds(events),
        own_writes=own_writes,
        links=tuple(gather_link(events, name) for name in slaves),
        scripted=scripted,
        **_see_master([event for event in events if event.data.get("node") == master]),
        surgeries=surgeries,
        lost_offsets=_find_lost(events, master, surgeries),
        controller=controller,
        lives=tuple(lives),
        logs=logs,
        roles=roles,
    )


def _find_scripted(nodes: Mapping[str, Any], version: Version) -> frozenset[int]:
    """The slaves that somebody plays, or MASTER. Raises OutsideTheModel for what has no rules."""
    found = frozenset(
        n for n, each in enumerate(nodes.values(), MASTER) if each.get(SCRIPTED) is True
    )
    if found and (version.has(CONTROLLED) or (MASTER in found and len(found) > 1)):
        raise OutsideTheModel("nobody plays both ends of a link, or one that has a handshake")
    return found


def _see_slave_file_size(nodes: Mapping[str, Any], events: Iterable[Event]) -> int:
    """The size of the slaves' files where it is not their master's, else 0.

    Raises OutsideTheModel for slaves of two sizes, and for one that starts again: how it recovers
    files of its own size is not known.
    """
    master, *slaves = nodes
    sizes = {n: read_number(nodes[n]["store_config"], "mapedFileSizeCommitLog") for n in nodes}
    own = {sizes[name] for name in slaves} - {sizes[master]}
    if not own:
        return 0
    if len({sizes[name] for name in slaves}) > 1:
        raise OutsideTheModel("the slaves have files of different sizes")
    ended: set[str] = set()
    for event in events:
        node = event.data.get("node", "")
        if event.kind in START_KINDS and node in ended:
            raise OutsideTheModel(f"{node} has files of its own size, and starts again")
        if event.kind in END_KINDS and node in slaves:
            ended.add(node)
    return own.pop()


def _see_processes(recording: Recording, version: Version) -> tuple[ProcessAhead, ...]:
    """Under a controller a put waits for all slaves of the SyncStateSet, else for one."""
    master, *slaves = recording.config["nodes"]
    members = len(slaves) if version.has(CONTROLLED) else 0
    events: Iterable[Event] = recording.events
    if version.has(report_capped_from_second.VARIANT):
        events = drop_refused_reports(recording.events, master)
    return see_processes(events, master, recording.end_ms, members)


def _see_roles(events: Iterable[Event], master: str, configured: Role) -> tuple[Role, ...]:
    """By process of the master the role with which it starts; the last one where it never does."""
    roles = [configured]
    for event in events:
        if event.data.get("node") == master and event.kind in END_KINDS:
            roles.append(roles[-1])
        is_start = event.data.get("node") == master and event.kind in START_KINDS
        if is_start and event.data.get("role") in MASTER_ROLES:
            roles[-1] = Role[event["role"]]
    return tuple(roles)


def _see_puts(
    recording: Recording,
    lives: Sequence[int],
    processes: Sequence[ProcessAhead],
    timers: Timers,
    roles: Sequence[Role],
) -> tuple[RecordedPut, ...]:
    """The puts in the order of their places, with a mark where others may lie in between."""
    master, *slaves = recording.config["nodes"]
    is_sync = Role.SYNC_MASTER in roles and bool(slaves)
    longest_ms = compute_longest_put_ms(timers, waits_for_slave=is_sync)
    is_checked = [checks_slave(role, timers.version) for role in roles]
    puts = order_puts(recording.events, master, lives, is_checked)
    return mark_gaps(puts, processes, longest_ms, _see_life_begins(recording.events, master, lives))


def _see_life_begins(
    events: Iterable[Event], master: str, lives: Sequence[int]
) -> Mapping[int, int]:
    """Where the log ended when the first process of each life was seen to start."""
    found: dict[int, int] = {}
    process = 0
    for event in events:
        if event.data.get("node") != master:
            continue
        process += event.kind in END_KINDS
        if event.kind in START_KINDS and "max_offset" in event.data and process < len(lives):
            found.setdefault(lives[process], event["max_offset"])
    return found


MASTER_ROLES = (Role.SYNC_MASTER.name, Role.ASYNC_MASTER.name)
"""What a start may show as ``brokerRole`` of a master."""

UNCHECKED = (ack_per_connection.VARIANT, no_slave_wait.VARIANT, CONTROLLED)
"""With these ``HAService#isSlaveOK`` has no callers (5.0.0)."""


def checks_slave(role: Role, version: Version) -> bool:
    """A put that waits for the store asks whether there is a slave, and waits for its report."""
    return role is Role.SYNC_MASTER and not any(version.has(each) for each in UNCHECKED)


def _make_structure(
    node: Mapping[str, Any],
    slaves: int,
    puts: Sequence[RecordedPut],
    lives: int,
    controller: ControllerAhead,
) -> Structure:
    overlap = count_overlapping((p.begin_ms - JITTER_MS, p.end_ms + JITTER_MS) for p in puts)
    return Structure(
        role=Role[node["role"]],
        flush_disk_type=FlushDiskType[node["flush_type"]],
        slaves=slaves,
        messages=overlap + SPARE_MESSAGES,
        lives=max(lives, controller.epoch_count),
    )


def make_parameters(store_config: Mapping[str, Any], version: Version) -> Parameters:
    """The sizes of a master."""
    limit_bytes = read_number(store_config, "maxMessageSize")
    return Parameters(
        ha_slave_fallbehind_max_bytes=read_number(store_config, "haSlaveFallbehindMax"),
        ha_transfer_batch_size_bytes=read_number(store_config, "haTransferBatchSize"),
        mapped_file_size_bytes=read_number(store_config, "mapedFileSizeCommitLog"),
        message_size_max_bytes=limit_bytes + compute_message_margin_bytes(version),
        limits=FaultCounts(*[NOT_LIMITED] * len(fields(FaultCounts))),
    )


def compute_message_margin_bytes(version: Version) -> int:
    """How much larger than ``maxMessageSize`` a message may be (finding 14 of 4.9.8)."""
    return MESSAGE_MARGIN_BYTES if version.has(BODY_SIZE_LIMIT) else 0


def make_timers(master: Mapping[str, Any], slave: Mapping[str, Any], version: Version) -> Timers:
    """The timers of a master and one of its slaves."""
    heartbeat, housekeeping = "haSendHeartbeatInterval", "haHousekeepingInterval"
    theirs, own = master["store_config"], slave["store_config"]
    return Timers(
        ha_send_heartbeat_interval_ms=read_number(own, heartbeat),
        sync_flush_timeout_ms=read_number(theirs, "syncFlushTimeout"),
        ha_housekeeping_interval_ms=read_number(own, housekeeping),
        master_heartbeat_interval_ms=read_number(theirs, heartbeat),
        master_housekeeping_interval_ms=read_number(theirs, housekeeping),
        slave_timeout_ms=read_slave_timeout(theirs) if version.has(SLAVE_TIMEOUT) else None,
        version=version,
    )


def read_slave_timeout(store_config: Mapping[str, Any]) -> int:
    """``slaveTimeout``, which 4.4.0 does not have."""
    return read_number({"slaveTimeout": SLAVE_TIMEOUT_DEFAULT_MS, **store_config}, "slaveTimeout")


def read_number(store_config: Mapping[str, Any], key: str) -> int:
    """A property of MessageStoreConfig that has to be a positive number, or its default."""
    value = store_config[key] if key in store_config else KEYS[key].default
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise OutsideTheModel(f"{key} is {value!r}, not a positive number")
    if value > LARGEST_NUMBER:
        raise OutsideTheModel(f"{key} is {value}, more than 64 bits hold")
    return value


def compute_flush_wait_ms(store_config: Mapping[str, Any]) -> int:
    """How long a broker may wait before it flushes all that it has, as it is configured."""
    return sum(read_number({key: usual, **store_config}, key) for key, usual in FLUSH_KEYS.items())


def _see_kinds(events: Iterable[Event]) -> dict[str, Any]:
    """What a recording leaves out, by the fields of a plan.

    A whole broker shows its answers only: no put is recorded.
    """
    kinds = {event.kind for event in events}
    return {
        "are_puts_hidden": "broker_started" in kinds,
        "are_deletions_shown": "delete_expired_files" in kinds,
    }


def match_surgeries(events: Iterable[Event]) -> Mapping[int, Event]:
    """By the latest end of a node's process: the surgery that follows before the node's start."""
    ends: dict[str, int] = {}
    found: dict[int, Event] = {}
    for event in events:
        if event.kind in END_KINDS:
            ends[event["node"]] = event.seq
        if event.kind in START_KINDS:
            ends.pop(event["node"], None)
        if event.kind == "store_surgery" and event["node"] in ends:
            found[ends.pop(event["node"])] = event
    return found


def _see_lives(recording: Recording, surgeries: Mapping[int, Event]) -> list[int]:
    """For each process of the master the life of its log."""
    events, nodes = recording.events, recording.config["nodes"]
    master = next(iter(nodes))
    size = read_number(nodes[master]["store_config"], "mapedFileSizeCommitLog")
    cuts = find_cut_ends(events, master, size)
    lives, begun = [0], {*surgeries, *cuts, *find_elected_ends(events, master)}
    if has_pool(nodes[master]):
        begun |= set(find_emptied_ends(events, master))
    for event in events:
        if event.kind in END_KINDS and event["node"] == master:
            lives.append(lives[-1] + (event.seq in begun))
    return lives


def has_pool(node: Mapping[str, Any]) -> bool:
    """A broker keeps appended bytes in a pool (MessageStoreConfig#isTransientStorePoolEnable)."""
    is_set = read_settings(node).get("transientStorePoolEnable") == "true"
    is_master = Role[node["role"]] is not Role.SLAVE
    return is_set and is_master and node["flush_type"] == FlushDiskType.ASYNC_FLUSH.name


def find_emptied_ends(events: Iterable[Event], master: str) -> Iterator[int]:
    """By ``seq``: the ends of the master's processes that took bytes which waited in a pool."""
    written, ended = 0, None
    for event in events:
        if event.data.get("node") != master:
            continue
        if event.kind == "put" and event.data.get("append_status") == "PUT_OK":
            written = max(written, event["wrote_offset"] + event["wrote_bytes"])
        elif event.kind == "node_kill9":
            ended = event.seq
        elif event.kind in START_KINDS and ended is not None:
            began = event.data.get("max_offset", written)
            if began < written:
                yield ended
            written, ended = began, None


def _find_lost(
    events: tuple[Event, ...], master: str, surgeries: Mapping[int, Event]
) -> Mapping[int, int]:
    ends = [event for event in events if event.kind in END_KINDS and event["node"] == master]
    return {
        process: surgeries[event.seq]["lost_from_offset"]
        for process, event in enumerate(ends)
        if event.seq in surgeries
    }


def get_time_ms(event: Event) -> float:
    """What events are in the order of."""
    return event.t_ms
