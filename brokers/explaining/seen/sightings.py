"""What an event shows of the state, and what it makes one forget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from brokers.explaining.seen.moments import CUT_KINDS, NotedMoment
from brokers.explaining.seen.pins import Pin
from brokers.recordings.ahead.elections import list_ids
from brokers.recordings.ahead.links import read_scan_end
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.ahead.puts import name_queue
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS, STOP_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.roles.places import EXCHANGE
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL

LOG_FIELDS: Mapping[str, str] = {
    "flushed_offset": "flushed_offset",
    "dispatched_offset": "dispatched_offset",
}
"""Fields of a broker's state, and the leaf of its log that each shows."""

MASTER_FIELDS: Mapping[str, str] = {
    "push2_slave_max_offset": "master.push2_slave_max_offset",
    "connection_count": "master.connection_count",
}
"""The same of the master."""

CONNECTION_FIELDS: Mapping[str, str] = {
    "slave_request_offset": "slave_request_offset",
    "slave_ack_offset": "slave_ack_offset",
    "next_transfer_from": "next_transfer_offset",
}
"""Fields of a connection of the master, and the leaf of the link that each shows."""

COMMITTED = "committed_offset.0"
"""Up to where a pool is committed."""

STATE_KINDS = BROKER_KINDS | {"to_master", "to_slave", "set_sss"}
"""Events that show a whole broker."""

FORGETTING_KINDS = frozenset({"node_kill9", "node_stop_clean", "store_wiped", "process_exit"})
"""Events after which what a process knew is gone."""


@frozen
class Sightings:
    """Reads events of one group of brokers."""

    plan: Plan = field(repr=False)
    paths: Mapping[str, str] = field(init=False)
    """The place of each broker in the state, by name."""

    @paths.default
    def _name_paths(self) -> Mapping[str, str]:
        slaves = {name: f"slaves.{number}" for number, name in enumerate(self.plan.slaves)}
        return {self.plan.master: "master", **slaves}

    reports: Mapping[tuple[int, int], Sequence[int]] = field(init=False, repr=False)
    """By slave and connection: what it reports."""

    @reports.default
    def _gather_reports(self) -> Mapping[tuple[int, int], Sequence[int]]:
        reports: dict[tuple[int, int], list[int]] = defaultdict(list)
        for event in self.plan.recording.events:
            if event.kind == "ha_report":
                slave = self.plan.find_slave_of_link(event)
                reports[slave, event["conn"]].append(event["slave_offset"])
        return reports

    processes: Mapping[int, int] = field(init=False, repr=False)
    """By event: how many processes of the master had ended."""

    @processes.default
    def _number_processes(self) -> Mapping[int, int]:
        process, numbers = 0, {}
        for event in self.plan.recording.events:
            numbers[event.seq] = process
            is_end = event.kind in END_KINDS and event["node"] == self.plan.master
            process += is_end
        return numbers

    down_seqs: frozenset[int] = field(init=False, repr=False)
    """The events about brokers that do not run."""

    @down_seqs.default
    def _list_down(self) -> frozenset[int]:
        down, seqs = set(self.paths), set()
        for event in self.plan.recording.events:
            if EXCHANGE in event.data and event.kind not in START_KINDS:
                down = (down - {self.plan.master}) | {event[EXCHANGE]}
            node = str(event.data.get("node"))
            if event.kind in START_KINDS:
                down.discard(node)
            elif event.kind in STOP_KINDS:
                down.add(node)
            elif node in down:
                seqs.add(event.seq)
        return frozenset(seqs)

    open_dispatch_seqs: frozenset[int] = field(init=False, repr=False)
    """Events that show how far a dispatch has come, which the rules leave open.

    Under a controller a slave dispatches as far as it knows the confirm offset, and a broker that
    starts as far as it has stored that, until it computes it anew (ABSTRACTED of controller mode):
    it does not, while the set has a member that is not connected (``AutoSwitchHAService
    #computeConfirmOffset``; ``v533_controller_d`` seq 127 and 158).
    """

    @open_dispatch_seqs.default
    def _list_open_dispatch(self) -> frozenset[int]:
        if not self.has_controller:
            return frozenset()
        is_told = is_behind = False
        seqs = set()
        for event in self.plan.recording.events:
            is_of_master = event.data.get("node") == self.plan.master
            if is_of_master and event.kind in STOP_KINDS:
                is_told = is_behind = False
            if event.kind == "to_master":
                is_first = EXCHANGE not in event.data and not is_told
                is_behind = is_first and event["dispatched_offset"] < event["max_offset"]
                is_told = True
            if not is_of_master or not is_told or is_behind:
                seqs.add(event.seq)
            if is_of_master and event.data.get("dispatched_offset", -1) >= event.data.get(
                "max_offset", 0
            ):
                is_behind = False
        return frozenset(seqs)

    @property
    def has_controller(self) -> bool:
        """The rules have epoch files and a SyncStateSet."""
        return bool(self.plan.version.has(CONTROLLED))

    def get_end(self, node: str) -> str:
        """The leaf that says where a broker's log ends."""
        return f"{self.paths[node]}.log.ends.{self.plan.structure.lives - 1}"

    def get_shown_end(self, node: str) -> str:
        """The leaf that a broker shows as its end: bytes in a pool are not (getReadPosition)."""
        has_pool = STORE_POOL in self.plan.structure.variants
        return COMMITTED if has_pool and node == self.plan.master else self.get_end(node)

    def list_pins(self, moments: Iterable[NotedMoment]) -> Iterator[Pin]:
        """What all moments show and forget."""
        shown: dict[str, int] = {}
        for moment in moments:
            is_exchange = EXCHANGE in moment.event.data
            seen = [Pin(leaf, n, moment.key, moment.t_ms) for leaf, n in self.list_seen(moment)]
            leaves = () if moment.is_call else self.list_forgotten(moment.event)
            forgotten = [Pin(leaf, None, moment.key, moment.t_ms) for leaf in leaves]
            cut = self._list_cut(seen, shown) if self.has_controller else ()
            gone = {pin.leaf for pin in forgotten}
            if is_exchange:
                seen = [*self._list_elected(moment, seen), *forgotten, *seen]
            yield from seen if is_exchange else (*cut, *seen, *forgotten)
            shown = {leaf: value for leaf, value in shown.items() if leaf not in gone}
            kept = (pin for pin in seen if is_exchange or pin.leaf not in gone)
            shown.update((pin.leaf, pin.value) for pin in kept if pin.value is not None)

    def _list_elected(self, moment: NotedMoment, seen: Iterable[Pin]) -> Iterator[Pin]:
        """What a running slave that is elected has flushed, it had flushed as a slave."""
        slave = self.paths[moment.event[EXCHANGE]]
        for pin in seen:
            if pin.leaf == "master.log.flushed_offset" and moment.kind not in START_KINDS:
                yield evolve(pin, leaf=f"{slave}.log.flushed_offset")

    def _list_cut(self, seen: Iterable[Pin], shown: Mapping[str, int]) -> Iterator[Pin]:
        """Under a controller a slave's log is cut that is shown to be shorter than before."""
        for pin in seen:
            is_of_slave = pin.leaf.startswith("slaves.")
            if is_of_slave and pin.value is not None and pin.value < shown.get(pin.leaf, 0):
                yield evolve(pin, value=None)

    def list_seen(self, moment: NotedMoment) -> Iterator[tuple[str, int]]:
        """Leaves and their values that a moment bounds."""
        event = moment.event
        yield from self.list_shown(moment)
        if moment.is_call:
            if event.kind == "broker_status":
                # No answer is older than its question, and a log only grows.
                yield self.get_shown_end(event["node"]), event["max_offset"]
            return
        if event.kind == "ha_link_open" and not self.has_controller:
            yield from self._list_first_report(event)
        if self.has_controller:
            yield from self._list_members(event)
        if event.kind == "get_message":
            yield from self._list_undispatched(event)
        if event.kind == "node_stop_clean" and event.data.get("abort_file_present"):
            # Whoever has dispatched its log stops without leaving that file (R-RC-02).
            end = find_last_end(self.plan, event)
            if end is not None:
                yield f"{self.paths[event['node']]}.log.dispatched_offset", end - 1
        is_of_master = event.data.get("node") == self.plan.master
        if event.kind in STOP_KINDS and event.seq not in self.plan.surgeries:
            yield from self._list_kept(event) if is_of_master else self._list_taken(event)
        if event.seq in self.plan.surgeries and event.kind in FORGETTING_KINDS:
            lost = self.plan.surgeries[event.seq]["lost_from_offset"]
            yield f"{self.paths[event['node']]}.log.flushed_offset", lost

    def _list_members(self, event: Event) -> Iterator[tuple[str, int]]:
        """Who is in the SyncStateSet, as the master shows it."""
        members = event.data.get("sync_state_set_after", event.data.get("sync_state_set"))
        if members and event.data.get("node") == self.plan.master:
            for place, broker in enumerate(list_ids(self.plan.recording.config["nodes"])):
                yield f"in_sync_state_set.{place}", int(broker in members)

    def _list_first_report(self, event: Event) -> Iterator[tuple[str, int]]:
        """A slave reports first where its log ended when it connected (HAClient#connectMaster)."""
        slave = self.plan.find_slave_of_link(event)
        reports = self.reports.get((slave, event["conn"]), ())
        if reports:
            yield self.get_end(self.plan.slaves[slave]), reports[0]

    def _list_kept(self, event: Event) -> Iterator[tuple[str, int]]:
        """What the next start of the master shows of the process that is killed.

        Unless more was seen of that, which the end has taken.
        """
        leaf, kept = self.get_shown_end(self.plan.master), find_next_start(self.plan, event)
        if kept is None:
            return
        process = self.processes[event.seq]
        ends = [put.end_offset for put in self.plan.puts if put.process == process]
        ends += [
            each["master_offset"] + each["body_bytes"]
            for each in self.plan.recording.events
            if each.kind == "ha_frame" and self.processes[each.seq] == process
        ]
        if self.plan.are_puts_hidden or leaf == COMMITTED or max(ends, default=0) <= kept:
            yield leaf, kept

    def _list_taken(self, event: Event) -> Iterator[tuple[str, int]]:
        """What a killed slave has stored, if it has reported no more than it starts with."""
        kept, slave = find_next_start(self.plan, event), self.plan.slaves.index(event["node"])
        most = 0
        for each in self.plan.recording.events:
            if each.seq >= event.seq:
                break
            if each.kind in START_KINDS and each["node"] == event["node"]:
                most = 0
            elif each.kind == "ha_report" and self.plan.find_slave_of_link(each) == slave:
                most = max(most, each["slave_offset"])
        if kept is not None and most <= kept:
            yield self.get_end(event["node"]), kept

    def _list_undispatched(self, event: Event) -> Iterator[tuple[str, int]]:
        """A queue shows no message that is not dispatched: its next one lies behind that."""
        queue, process = name_queue(event), self.processes[event.seq]
        for put in self.plan.puts:
            is_next = put.queue == queue and put.queue_offset == event["max_offset"]
            if is_next and put.process == process and self.plan.structure.lives == 1:
                yield f"{self.paths[event['node']]}.log.dispatched_offset", put.start_offset

    def list_shown(self, moment: NotedMoment) -> Iterator[tuple[str, int]]:
        """Leaves and their values that a moment shows."""
        event = moment.event
        is_of_master = event.data.get("node") == self.plan.master
        if moment.is_call:
            yield from self._list_put(event, "before") if event.kind == "put" else ()
        elif event.kind == "broker_status":
            yield from self._list_begin(event)
        elif event.kind in STATE_KINDS:
            yield from self._list_broker(event)
        elif event.kind == "put" and is_of_master:
            yield from self._list_put(event, "after")
        elif event.kind == "log_scan" and is_of_master and self.plan.own_writes:
            yield self.get_end(event["node"]), read_scan_end(event)
        elif event.kind == "ha_handshake_master":
            yield self.get_end(self.plan.master), event["master_max_offset"]
        elif event.kind == "get_message":
            yield self.get_shown_end(event["node"]), event["max_offset_py"]
        elif event.kind == "log_crc" and event.seq not in self.down_seqs:
            ends = [each["to_offset"] for each in event["files"]]
            yield from ((self.get_shown_end(event["node"]), end) for end in ends[-1:] if end)

    def _list_put(self, event: Event, when: str) -> Iterator[tuple[str, int]]:
        fields = {
            f"push2_slave_{when}": "master.push2_slave_max_offset",
            f"connection_count_{when}": "master.connection_count",
        }
        if when == "after":
            fields["max_offset_after"] = self.get_shown_end(event["node"])
        yield from pick(event.data, fields)

    def _list_broker(self, event: Event) -> Iterator[tuple[str, int]]:
        node = event["node"]
        log = f"{self.paths[node]}.log"
        yield from pick(event.data, {"max_offset": self.get_shown_end(node)})
        is_open = event.seq in self.open_dispatch_seqs
        fields = [each for each in LOG_FIELDS if not (is_open and each == "dispatched_offset")]
        yield from pick(event.data, {name: f"{log}.{LOG_FIELDS[name]}" for name in fields})
        yield from self._list_begin(event)
        if node == self.plan.master:
            yield from pick(event.data, MASTER_FIELDS)
            yield from self._list_connections(event)
        elif event.kind not in START_KINDS and "ha_client_connected" in event.data:
            slave = self.plan.slaves.index(node)
            yield f"links.{slave}.is_open", int(event["ha_client_connected"])

    def _list_begin(self, event: Event) -> Iterator[tuple[str, int]]:
        log = f"{self.paths[event['node']]}.log"
        if (begin := event.data.get("min_offset")) is not None:
            yield f"{log}.has_file", int(begin != -1)
            if begin != -1:
                yield f"{log}.start_offset", begin

    def _list_connections(self, event: Event) -> Iterator[tuple[str, int]]:
        """What the master knows of its only connection to its only slave."""
        connections: list[dict[str, int]] = event.data.get("connections") or []
        if len(connections) == len(self.plan.slaves) == 1:
            fields = {name: f"links.0.{leaf}" for name, leaf in CONNECTION_FIELDS.items()}
            yield from pick(connections[0], fields)

    def list_forgotten(self, event: Event) -> Iterator[str]:
        """Leaves of which nothing that was so before an event need be so after it."""
        if EXCHANGE in event.data:
            for node in (self.plan.master, event[EXCHANGE]):
                yield from self._list_of_broker(node)
                yield from self._list_of_store(node)
        elif event.kind in FORGETTING_KINDS:
            yield from self._list_forgotten_by_end(event)
        elif event.kind in CUT_KINDS or event.kind == "ha_link_open":
            slave = self.plan.find_slave_of_link(event)
            yield from list_link_leaves(slave)
            if self.has_controller and event.kind == "ha_link_open":
                yield from self._list_truncated(event, slave)

    def _list_truncated(self, event: Event, slave: int) -> Iterator[str]:
        """A handshake may cut a log, but not below what the slave reports then."""
        name = self.plan.slaves[slave]
        flushed = f"{self.paths[name]}.log.flushed_offset"
        looks = (each for each in self.plan.list_later_of(name, event) if each.kind in STATE_KINDS)
        look, reports = next(looks, None), self.reports.get((slave, event["conn"]), ())
        is_below = look is not None and look["flushed_offset"] < (*reports, look["max_offset"])[0]
        leaves = (*self._list_of_broker(name), *self._list_of_store(name))
        yield from (leaf for leaf in leaves if not (is_below and leaf == flushed))

    def _list_forgotten_by_end(self, event: Event) -> Iterator[str]:
        yield from self._list_of_broker(event["node"])
        if event.seq in self.plan.surgeries or event.kind == "store_wiped":
            yield from self._list_of_store(event["node"])

    def _list_of_store(self, node: str) -> Iterator[str]:
        """What outlives a process."""
        log = f"{self.paths[node]}.log"
        yield from (f"{log}.has_file", f"{log}.start_offset")

    def _list_of_broker(self, node: str) -> Iterator[str]:
        """What ends with a process."""
        log = f"{self.paths[node]}.log"
        yield from (f"{log}.flushed_offset", f"{log}.dispatched_offset")
        yield self.get_shown_end(node)
        if node == self.plan.master:
            yield from MASTER_FIELDS.values()
        for slave, name in enumerate(self.plan.slaves):
            if node in (self.plan.master, name):
                yield from list_link_leaves(slave)


def name_field(leaf: str, plan: Plan) -> str:
    """What an event calls a leaf of the state, and whose it is."""
    path, _, last = leaf.rpartition(".")
    shown = {leaf: name for name, leaf in (*MASTER_FIELDS.items(), *CONNECTION_FIELDS.items())}
    if path.startswith("links."):
        name = "ha_client_connected" if last == "is_open" else shown[last]
        return f"{name} of {plan.slaves[int(path.split('.')[1])]}"
    if leaf in shown:
        return shown[leaf]
    owner = plan.slaves[int(path.split(".")[1])] if path.startswith("slaves.") else plan.master
    if leaf == COMMITTED or path.endswith(".ends"):
        return f"max_offset of {owner}"
    name = "min_offset" if last == "start_offset" else last
    return f"{name} of {owner}"


def pick(data: Mapping[str, int], leaves: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The leaves whose fields are there, with their values."""
    return ((leaf, int(data[name])) for name, leaf in leaves.items() if name in data)


def list_link_leaves(slave: int) -> Sequence[str]:
    """What a link forgets with its connection."""
    return [f"links.{slave}.{leaf}" for leaf in (*CONNECTION_FIELDS.values(), "is_open")]


def find_last_end(plan: Plan, stop: Event) -> int | None:
    """Where a log ends when its broker stops; None if it may have grown since that was shown."""
    before = plan.recording.events[: plan.recording.events.index(stop) + 1]
    for event in reversed(before):
        if event.data.get("node") == stop["node"] and "max_offset" in event.data:
            end: int = event["max_offset"]
            return end
        link = event.data.get("link", "").removeprefix(LINK_PREFIX)
        is_own = stop["node"] in (event.data.get("node"), link)
        if is_own and event.data.get("body_bytes"):
            return None
    return None


def find_next_start(plan: Plan, event: Event) -> int | None:
    """Where the log of a broker ends when it runs anew; None if it never does."""
    start = find_start(plan, event)
    return None if start is None else start.data.get("max_offset")


def find_start(plan: Plan, event: Event) -> Event | None:
    """The next start of the broker that an event is about; None if there is none."""
    place = event["node"]
    for later in (each for each in plan.recording.events if each.seq > event.seq):
        if later.data.get(EXCHANGE) == place:
            place = plan.master
        elif EXCHANGE in later.data and place == plan.master:
            place = later[EXCHANGE]
        if later.kind in START_KINDS and later["node"] == place:
            return later
    return None
