"""What a schedule consists of: acts of the tester, each done before the next begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import frozen

from brokers.conformance.peers import OwnBroker
from brokers.conformance.producer import ProducerMessage
from brokers.conformance.stage import MASTER_NODE, Stage
from brokers.conformance.tap import Split
from brokers.recorder.link_bytes import MASTER, SLAVE
from reference.store.put import MessageToPut

MEET_MAX_MS = 12_000.0
"""A slave that was refused comes again after five seconds; its connect may take as long."""
Then = Callable[[], None]
POLL_MS = 10.0
CATCH_UP_MAX_HEARTBEATS = 2.0
CATCH_UP_REST_MS = 8000.0
"""A slave that was refused comes again after five seconds (R-HC-01)."""


class Act(Protocol):
    """One act."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it; ``then`` follows once it is done."""
        ...

    def __str__(self) -> str:
        """It in words."""
        ...


def play(stage: Stage, acts: tuple[Act, ...], then: Then, number: int = 0) -> None:
    """One act after another.

    What the case is about begins with the first act after its first one that disturbs a broker or
    a link; what was answered before that is as in every case.
    """
    if not acts:
        then()
        return
    if number and isinstance(acts[0], DISTURBING) and stage.focus_ms is None:
        stage.focus_ms = stage.elapsed_ms()
    acts[0].perform(stage, lambda: play(stage, acts[1:], then, number + 1))


def wait_until(
    stage: Stage, is_done: Callable[[], bool], most_ms: float, then: Then, rest_ms: float = 0.0
) -> None:
    """Look again and again; ``then`` follows a rest later, also once so much time has passed."""
    until_ms = stage.host.now_ms() + most_ms

    def look() -> None:
        if not is_done() and stage.host.now_ms() <= until_ms:
            stage.host.after(POLL_MS, look)
        elif rest_ms:
            stage.host.after(rest_ms, then)
        else:
            then()

    look()


def repeat(count: int, step: Callable[[Then], None], then: Then) -> None:
    """A step so often, each after the one before."""
    if count:
        step(lambda: repeat(count - 1, step, then))
    else:
        then()


def get_broker(stage: Stage, who: str) -> OwnBroker:
    """The tester's master, or one of its slaves."""
    return stage.get_master() if who == MASTER_NODE else stage.get_slave(int(who[-1]))


@frozen
class Start:
    """A broker of the tester starts on what its store has."""

    who: str

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        get_broker(stage, self.who).start()
        if self.who == MASTER_NODE:
            stage.open_master()
        then()

    def __str__(self) -> str:
        return f"{self.who} starts"


@frozen
class Kill:
    """It is killed."""

    who: str

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        if self.who == MASTER_NODE:
            stage.close_master()
        stage.note("node_kill9", node=self.who)
        get_broker(stage, self.who).kill()
        then()

    def __str__(self) -> str:
        return f"{self.who} is killed"


@frozen
class Stop:
    """It stops in order."""

    who: str

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""

        def done() -> None:
            stage.close_master()
            stage.note("process_exit", node=self.who)
            then()

        get_broker(stage, self.who).stop(done)

    def __str__(self) -> str:
        return f"{self.who} stops in order"


@frozen
class Restart:
    """The broker under test is killed and starts again on its store; nobody is connected to it."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        node = stage.tested_node

        def started() -> None:
            stage.note("process_started", node=node, role=stage.settings.role.name)
            stage.is_tested_down = False
            then()

        assert stage.restart is not None
        stage.note("node_kill9", node=node)
        stage.is_tested_down = True
        stage.restart(started)

    def __str__(self) -> str:
        return "the broker under test is killed, and starts again"


@frozen
class Wipe:
    """Its store is removed while it is down."""

    who: str

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        get_broker(stage, self.who).wipe()
        stage.note("store_wiped", node=self.who)
        then()

    def __str__(self) -> str:
        return f"{self.who} loses its disk"


@frozen
class LoseTail:
    """Its log ends earlier, as after a loss of power; it is down."""

    who: str
    from_offset: int

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        get_broker(stage, self.who).lose_tail(self.from_offset)
        stage.note("store_surgery", node=self.who, lost_from_offset=self.from_offset)
        then()

    def __str__(self) -> str:
        return f"{self.who} loses its log from {self.from_offset} on"


@frozen
class Wait:
    """Nothing is done for a while."""

    ms: float = 0.0
    heartbeats: float = 0.0
    """In addition, in units of ``haSendHeartbeatInterval``."""
    housekeepings: float = 0.0
    """In addition, in units of ``haHousekeepingInterval``."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        beat_ms = stage.settings.number("haSendHeartbeatInterval") * self.heartbeats
        idle_ms = stage.settings.number("haHousekeepingInterval") * self.housekeepings
        stage.host.after(self.ms + beat_ms + idle_ms, then)

    def __str__(self) -> str:
        parts = (
            (f"{self.ms:g} ms", self.ms),
            (f"{self.heartbeats:g} heartbeat intervals", self.heartbeats),
            (f"{self.housekeepings:g} housekeeping intervals", self.housekeepings),
        )
        return "wait " + " and ".join(text for text, is_there in parts if is_there)


@frozen
class Put:
    """Messages are sent to the master, each after the answer to the one before or all at once."""

    body_bytes: int = 300
    count: int = 1
    waits: bool = True
    is_at_once: bool = False
    is_awaited: bool = True
    """The next act begins after the answers."""
    queue: int = 0

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        after = then if self.is_awaited else (lambda: None)
        if self.is_at_once:
            left = [self.count]

            def done() -> None:
                left[0] -= 1
                if not left[0]:
                    after()

            for _ in range(self.count):
                self._send(stage, done)
        else:
            repeat(self.count, lambda done: self._send(stage, done), after)
        if not self.is_awaited:
            stage.host.after(POLL_MS, then)

    def _send(self, stage: Stage, then: Then) -> None:
        sending = ProducerMessage(self.body_bytes, self.queue, self.waits)
        if stage.is_master_tested:
            stage.producer.send(sending, then)
            return
        master = stage.get_master().running
        message = MessageToPut(
            sending.topic,
            sending.queue,
            bytes(sending.body_bytes),
            sending.properties,
            is_wait_store_msg_ok=sending.waits,
        )
        master.ports.put(message, lambda _: then())

    def __str__(self) -> str:
        kind = "" if self.waits else " with WAIT=false"
        many = f"{self.count} messages" if self.count > 1 else "a message"
        when = " at once" if self.is_at_once else ""
        rest = "" if self.is_awaited else ", without waiting for the answer"
        return f"{many} of {self.body_bytes} bytes{kind}{when}{rest}"


@frozen
class CatchUp:
    """Until a slave has all that the master was seen to have, or three heartbeats are over."""

    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        beat_ms = stage.settings.number("haSendHeartbeatInterval")
        most_ms = CATCH_UP_MAX_HEARTBEATS * beat_ms + CATCH_UP_REST_MS
        wait_until(stage, lambda: self._is_done(stage), most_ms, then, rest_ms=5 * POLL_MS)

    def _is_done(self, stage: Stage) -> bool:
        current = stage.get_link(self.slave).current
        reported = None if current is None else current.reported
        if reported is None:
            return False
        if stage.is_master_tested:
            slave = stage.get_slave(self.slave).broker
            return slave is not None and slave.store.max_offset >= stage.producer.log_end
        master = stage.get_master().broker
        return master is not None and reported >= master.store.max_offset

    def __str__(self) -> str:
        return f"until slave{self.slave} has caught up"


@frozen
class Meet:
    """Until a slave is connected, or twelve seconds are over."""

    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        link = stage.get_link(self.slave)
        wait_until(stage, lambda: link.current is not None, MEET_MAX_MS, then)

    def __str__(self) -> str:
        return f"until slave{self.slave} is connected"


@frozen
class Stall:
    """The link holds back what is sent."""

    frames: bool = True
    reports: bool = True
    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.get_link(self.slave).stall(frames=self.frames, reports=self.reports)
        then()

    def __str__(self) -> str:
        held = [name for name in ("frames", "reports") if getattr(self, name)]
        return f"link {self.slave} holds back {' and '.join(held)}"


@frozen
class Heal:
    """The link lets everything go on."""

    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.get_link(self.slave).heal()
        then()

    def __str__(self) -> str:
        return f"link {self.slave} lets everything go on"


@frozen
class Cut:
    """The link's connection ends; neither broker has closed it."""

    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.get_link(self.slave).cut()
        then()

    def __str__(self) -> str:
        return f"link {self.slave} is cut"


@frozen
class SplitNext:
    """The next frame, or report, passes in two parts; or its connection is cut in between."""

    side: str
    at_bytes: int
    gap_ms: float = 50.0
    """Below 0: cut."""
    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        split = Split(self.at_bytes, self.gap_ms)
        stage.get_link(self.slave).splits[self.side] = split
        then()

    def __str__(self) -> str:
        what = "frame" if self.side == MASTER else "report"
        end = "it is cut there" if self.gap_ms < 0 else f"the rest {self.gap_ms:g} ms later"
        return f"of the next {what} {self.at_bytes} bytes pass, {end}"


@frozen
class Slow:
    """Frames pass one by one from now on, so long apart."""

    gap_ms: float
    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.get_link(self.slave).frame_gap_ms = self.gap_ms
        then()

    def __str__(self) -> str:
        return f"frames on link {self.slave} pass {self.gap_ms:g} ms apart"


@frozen
class Look:
    """The tester's brokers show their counters."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        for broker in stage.brokers.values():
            if broker.broker is not None:
                broker.broker.events.write_snapshot()
        then()

    def __str__(self) -> str:
        return "a look at the tester's brokers"


def split_frame(at_bytes: int, gap_ms: float = 50.0) -> SplitNext:
    """A frame in two parts."""
    return SplitNext(MASTER, at_bytes, gap_ms)


def split_report(at_bytes: int, gap_ms: float = 50.0) -> SplitNext:
    """A report in two parts."""
    return SplitNext(SLAVE, at_bytes, gap_ms)


DISTURBING = (Kill, Stop, Restart, Wipe, LoseTail, Stall, Cut, SplitNext, Slow)
"""Acts after which a broker may be put to a test."""
