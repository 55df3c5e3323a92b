"""A recording of links alone, explained or refused as a whole, without a search.

Nobody recorded the logs, so each is chosen where a link first shows it (``free_group``): a slave
has, when it connects, what it reports first, and the master's log reaches as far as what it sends,
as long as some connection of it goes on.
All else the rules decide, and each hidden step is taken as soon as it is possible: reports are
read, where a transfer begins is found, frames are stored, and a stored frame makes a report. What a
link shows must be the next that was made.

Nothing is said of time: a stamp may be late by any amount, and what a broker waited for was not
recorded.

Sources: HAConnection.ReadSocketService#processReadEvent, WriteSocketService#run and
HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus at 4.4.0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import partial

from attrs import define, evolve, field

from brokers.explaining.links_alone.connections import Connection, put_in_order, read_connections
from brokers.explaining.links_alone.free_group import FreeGroup
from brokers.explaining.refusal import Refusal
from brokers.explaining.seen.moments import NotedMoment
from brokers.explaining.told.excerpts import Excerpt
from brokers.explaining.told.teller import Teller
from brokers.explaining.told.trail import Trail
from brokers.explaining.told.verdict import CONFORMS, REJECTED, GroupVerdict
from brokers.recordings.ahead.order import SENT_KINDS
from brokers.recordings.ahead.plan import Plan, make_plan
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording
from reference.releases.releases import CONTROLLER
from reference.releases.versions import Version

UNSEEN = ("without_puts", "without_starts")
"""Fields of the first line: no put is in the recording; brokers had logs before it began."""

SIZE = "mapedFileSizeCommitLog"

LINK_KINDS = frozenset(
    {
        "ha_frame",
        "ha_link_close",
        "ha_link_open",
        "ha_report",
        "link_cut",
        "link_cut_mid_frame",
        "link_healed",
        "link_stalled",
        "proxy_target_down",
    }
)
"""What ``record`` writes of a link."""

SEEN_RULES = ("connect_slave", "report_offset", "transfer_batch")
"""Those whose steps a link shows."""

SEEN_KINDS = LINK_KINDS | {"broker_status"}
"""What it writes of links and of brokers that it asks."""


def is_of_links_alone(recording: Recording, version: Version) -> bool:
    """The recording says that brokers' own accounts are missing, and nothing else tells of them.

    A controller's handshakes and elections are explained elsewhere.
    """
    nodes = recording.config["nodes"]
    slaves = {f"{LINK_PREFIX}{name}" for name, node in nodes.items() if node["role"] == "SLAVE"}
    return (
        all(recording.config.data.get(name) is True for name in UNSEEN)
        and version.mode != CONTROLLER
        and all(e.kind in SEEN_KINDS | IGNORED_KINDS for e in recording.events)
        and {e["link"] for e in recording.events if "link" in e.data} <= slaves
    )


def explain_links(
    recording: Recording, version: Version, *, is_schedule_kept: bool = False
) -> GroupVerdict:
    """The verdict on the links of one group of brokers.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    plan = make_plan(assume_sizes(recording), version)
    group = FreeGroup.begin(plan, is_schedule_kept=is_schedule_kept)
    explainer = LinkExplainer(group, recording)
    stuck = explainer.run()
    verdict = GroupVerdict(
        CONFORMS,
        explainer.explained,
        {},
        explainer.checked,
        parameters=plan.parameters,
        schedule=tuple(group.schedule or ()),
        cluster=group.cluster,
        tell=partial(tell_links, plan, recording),
    )
    if stuck is None:
        return verdict
    moment, refusal = stuck
    return evolve(verdict, word=REJECTED, seq=moment.event.seq, reason=str(refusal))


def tell_links(plan: Plan, recording: Recording, seq: int) -> Excerpt | None:
    """What is put at an event of a group, which is explained once more for that; None: nothing."""
    trail, group = Trail(), FreeGroup.begin(plan)
    stuck = LinkExplainer(group, recording, trail).run()
    names = group.machine.instances
    hidden = frozenset(n for n in names if n.partition("[")[0] not in SEEN_RULES)
    return Teller(group, trail.moments, hidden).tell(seq, stuck)


def assume_sizes(recording: Recording) -> Recording:
    """A broker whose settings nobody told has files as large as one whose settings are told."""
    nodes = recording.config["nodes"]
    told = (n["store_config"][SIZE] for n in nodes.values() if SIZE in n["store_config"])
    sizes = {SIZE: size} if (size := next(told, None)) is not None else {}
    alike = {name: {**n, "store_config": n["store_config"] or sizes} for name, n in nodes.items()}
    config = evolve(recording.config, data={**recording.config.data, "nodes": alike})
    return evolve(recording, config=config)


@define(eq=False)
class RecordedLink:
    """One link, in its present connection."""

    slave: int
    connection: Connection = field(factory=Connection)
    number: int = 0
    seen: int = 0
    """How many of its reports have been seen."""
    made: list[int] = field(factory=list)
    """The reports that the slave has made, and which have not been seen."""
    unread: list[int] = field(factory=list)
    """Those seen that the master has not read."""
    last_report: int | None = None
    end_when_read: int = 0
    """Where the master's log ended when it read the first report."""
    reported: list[tuple[float, int]] = field(factory=list)
    """When each report was noted, and what it said."""
    sent: list[tuple[float, int]] = field(factory=list)
    """The same of each frame, and where it ended."""

    def begin(self, number: int, connection: Connection) -> None:
        """The slave connects anew: what was on its way is lost."""
        self.number, self.connection, self.seen = number, connection, 0
        self.made, self.unread, self.last_report = [], [], None
        self.reported, self.sent = [], []

    def find_next_report(self) -> int | None:
        """The next one to be seen that differs from the last; None if there is none."""
        left = self.connection.reports[self.seen :]
        return next((offset for offset in left if offset != self.last_report), None)


@define(eq=False)
class LinkExplainer:
    """Explains events one after another."""

    group: FreeGroup
    recording: Recording = field(repr=False)
    trail: Trail | None = None
    """The steps that are put at each event, if somebody wants to be told."""
    connections: Mapping[tuple[str, int], Connection] = field(init=False, repr=False)
    links: Mapping[str, RecordedLink] = field(init=False, repr=False)
    readers: Mapping[int, list[str]] = field(init=False, repr=False)
    """The instances by which the master reads a report of each slave."""
    checked: int = 0
    """How many offsets were held against the state."""
    explained: int = 0
    """How many events."""

    def __attrs_post_init__(self) -> None:
        self.connections = read_connections(self.recording.events)
        slaves = enumerate(self.group.plan.slaves)
        self.links = {f"{LINK_PREFIX}{name}": RecordedLink(number) for number, name in slaves}
        reading = [n for n in self.group.machine.instances if n.startswith("receive_report")]
        self.readers = {
            link.slave: [name for name in reading if name.endswith(f"[{link.slave}]")]
            for link in self.links.values()
        }

    def run(self) -> tuple[NotedMoment, Refusal] | None:
        """The first event that cannot be explained, and why; None if there is none."""
        for event in put_in_order(self.recording.events):
            moment = NotedMoment(event.t_ms, event)
            if self.trail is not None and event.kind in SEEN_KINDS:
                self.trail.begin(moment, self.group)
            try:
                self.explain(event)
            except Refusal as refusal:
                return moment, refusal
            self.explained += event.kind in SEEN_KINDS
        return None

    def explain(self, event: Event) -> None:
        """Take the steps that an event shows. Raises Refusal if there are none.

        The end of a connection is no step: bytes that were on their way are noted after it.
        """
        if event.kind == "ha_link_open":
            self.connect(self.links[event["link"]], event)
        elif event.kind == "broker_status":
            self.see_status(event)
        elif event.kind in SENT_KINDS:
            link = self.links[event["link"]]
            if event["conn"] != link.number:
                raise Refusal(f"connection {event['conn']} of this link is not open")
            if event.kind == "ha_report":
                self.see_report(link, event["slave_offset"])
                link.reported.append((event.t_ms, event["slave_offset"]))
            else:
                link.sent.append((event.t_ms, event["master_offset"] + event["body_bytes"]))
                if self.group.get(f"links.{link.slave}.next_transfer_offset") < 0:
                    self.find_position(link, event.seq)
                self.see_frame(link, event["master_offset"], event["body_bytes"])

    # Connections

    def connect(self, link: RecordedLink, event: Event) -> None:
        """A slave connects, with a log as long as it reports first."""
        name = self._name("connect_slave", link)
        if self.group.get(f"links.{link.slave}.is_open"):
            self.group.try_to(self._name("cut_link", link))
        link.begin(
            event["conn"], self.connections.get((event["link"], event["conn"]), Connection())
        )
        self.choose_slave(link)
        if self.is_alone(link, event.seq):
            first = link.connection.first_report or 0
            self.group.choose_log("master", first if link.connection.has_bytes else 0)
        if not self.group.try_to(name):
            failed = " and ".join(self.group.list_failed(name))
            raise Refusal(f"the slave cannot connect: {failed} does not hold")

    def choose_slave(self, link: RecordedLink) -> None:
        """What it reports first, and whether an empty log has a file, which later reports tell."""
        first = link.connection.first_report
        if first is None:
            return
        later = next((offset for offset in link.connection.reports if offset), None)
        begins = link.connection.first_frame_offset or 0
        has_file = bool(first) or (later is not None and later < begins)
        self.group.choose_log(f"slaves.{link.slave}", first, has_file=has_file)

    def is_alone(self, link: RecordedLink, seq: int) -> bool:
        """No other connection goes on, so the master may have run anew, with any log."""
        others = (each for each in self.links.values() if each is not link)
        return all(each.connection.last_seq < seq for each in others)

    def find_position(self, link: RecordedLink, seq: int) -> None:
        """The master finds where the transfer begins, once it has read what the slave has.

        A slave without bytes is sent the last file, so the log had come to that file at some time
        since the report.
        """
        group, begins = self.group, link.connection.first_frame_offset or 0
        end = kept = group.get_end("master")
        if link.connection.first_report == 0 and begins != self.find_file(end):
            if end < begins or self.is_alone(link, seq):
                end = kept = begins
            elif begins >= self.find_file(link.end_when_read):
                end = begins
            group.choose_log("master", end)
        if not group.try_to(self._name("position_transfer", link)):
            group.try_to(self._name("position_at_last_file", link))
        group.choose_log("master", kept)

    def find_file(self, offset: int) -> int:
        """Where the file of an offset begins."""
        return offset - offset % self.group.file_bytes

    # Reports

    def see_report(self, link: RecordedLink, offset: int) -> None:
        """A slave reports: what it has stored, or the same again when it has been silent."""
        self.checked += 1
        if not self.group.get(f"links.{link.slave}.has_reported"):
            self.group.try_to(self._name("report_offset", link))
            link.end_when_read = self.group.get_end("master")
            expected = self.group.get(f"links.{link.slave}.reported_offset")
            if offset != expected:
                raise Refusal(f"the first report is {offset}, not {expected}")
        elif link.made and offset == link.made[0]:
            link.made.pop(0)
        elif offset != link.last_report:
            raise Refusal(f"{offset} is reported, and {tell_next(link)}")
        link.seen += 1
        link.last_report = offset
        link.unread.append(offset)
        self.read_reports(link)

    def read_reports(self, link: RecordedLink) -> None:
        """The master reads what has arrived, by the rule of its release."""
        names = self.readers[link.slave]
        while link.unread and any(
            self.group.try_to(name, slave_offset=link.unread[0]) for name in names
        ):
            link.unread.pop(0)

    # Frames

    def see_frame(self, link: RecordedLink, offset: int, size: int) -> None:
        """A master sends: the next bytes of its log, or where it stands."""
        self.checked += 1 + bool(size)
        group = self.group
        self.create_file(link, offset)
        if size and group.get_end("master") < offset + size:
            group.choose_log("master", offset + size)
        stands = group.get(f"links.{link.slave}.next_transfer_offset")
        if offset != stands:
            raise Refusal(f"{size} B are sent from {offset}; the transfer stands at {stands}")
        if not size:
            return
        name = self._name("transfer_batch", link)
        if not group.try_to(name, size_bytes=size):
            failed = " and ".join(group.list_failed(name)) or "a batch or a file ends before"
            raise Refusal(f"{size} B are sent from {offset}: {failed}")
        self.store_frame(link, size)

    def create_file(self, link: RecordedLink, offset: int) -> None:
        """A slave without bytes may make its first file, and report that, before it stores any."""
        start = self.find_file(offset)
        if not start or self.group.get(f"slaves.{link.slave}.log.has_file"):
            return
        is_next = link.find_next_report() == start and start not in link.made
        if is_next and self.group.try_to(self._name("create_slave_file", link)):
            link.made.append(start)

    def store_frame(self, link: RecordedLink, size: int) -> None:
        """The slave appends it and makes a report; where it cannot, it reports no more."""
        for rule in ("append_to_slave", "append_at_wrong_offset"):
            if self.group.try_to(self._name(rule, link), size_bytes=size):
                link.made.append(self.group.get(f"links.{link.slave}.reported_offset"))
                return

    # Brokers that are asked

    def see_status(self, event: Event) -> None:
        """The end of a log, read between a question and its answer.

        It bounds what passed on connections that go on: no broker of theirs has run anew. A stamp
        may be late, never early, so what was noted before the question had happened by then, and a
        frame is noted before it is forwarded.
        """
        end, asked_ms = event["max_offset"], event["t_begin_ms"]
        links = [link for link in self.links.values() if link.connection.last_seq > event.seq]
        if event["node"] == self.group.plan.master:
            noted = [find_before(link.sent, asked_ms) for link in links]
            if end > self.group.get_end("master"):
                self.group.choose_log("master", end)
        else:
            links = [each for each in links if self.get_slave(each) == event["node"]]
            noted = [find_before(link.reported, asked_ms) for link in links]
            self.check_stored(links, end)
        least = max(noted, default=0)
        self.checked += 1
        if end < least:
            raise Refusal(f"the log ends at {end}; it had come to {least} before it was asked")

    def check_stored(self, links: list[RecordedLink], end: int) -> None:
        """A slave has what it had when it connected, and what was sent to it since."""
        for link in links:
            had = link.connection.first_report or 0
            most = link.sent[-1][1] if link.sent else had
            if link.reported and end > max(had, most):
                raise Refusal(f"the log ends at {end}; nothing above {max(had, most)} was sent")

    def get_slave(self, link: RecordedLink) -> str:
        """The name of its broker."""
        return self.group.plan.slaves[link.slave]

    def _name(self, rule: str, link: RecordedLink) -> str:
        return f"{rule}[{link.slave}]"


def find_before(noted: list[tuple[float, int]], t_ms: float) -> int:
    """The last of some growing offsets that was noted before a time; 0 for none."""
    place = bisect_left(noted, t_ms, key=lambda each: each[0])
    return noted[place - 1][1] if place else 0


def tell_next(link: RecordedLink) -> str:
    """Which report the slave has made."""
    if link.made:
        return f"{link.made[0]} is the next that the slave made"
    return f"the slave has stored nothing since {link.last_report}"
