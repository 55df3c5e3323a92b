"""Steps of a link: its queues tell what is sent, taken, reported and read."""

from __future__ import annotations

import math
from collections.abc import Iterable

from brokers.explaining.checking import may_end_at
from brokers.explaining.controlled.truncation import may_give_up
from brokers.explaining.group_state import Arguments
from brokers.explaining.hidden.log_steps import is_empty_last_file_seen
from brokers.explaining.hidden.steps import HiddenStep, Knowledge, is_below_caps, note_granted
from brokers.explaining.scene import Scene
from brokers.recordings.clock import LATE_MS, SLACK_MS
from brokers.recordings.view import Displaced
from reference.language.compiled import Ranges, State


def is_slave_file_wanted(scene: Scene, step: HiddenStep) -> bool:
    """A slave without bytes makes its first file before it stores any, and reports that.

    A frame that is on its way is stored first, which makes the file, too, unless the slave reports
    next where the file begins. One whose last file is full makes the next one if its log is seen to
    begin there.
    """
    if scene.get(f"slaves.{step.index}.log.has_file"):
        return is_empty_last_file_seen(scene, step, scene.get_slave_end(step.index))
    link = scene.links[step.index]
    start = scene.get(f"links.{step.index}.transfer_start_offset")
    left = link.list_left_reports()
    if link.find_next_taken() is not None:
        return bool(start) and next(filter(None, left), None) == start
    if not link.traffic.are_bytes_shown:
        return True
    if scene.is_clock_exact and scene.now_ms - (link.last_frame_ms or math.inf) > SLACK_MS:
        return True
    if start and left:
        return start in left
    pin = scene.pins.find_next(f"slaves.{step.index}.log.has_file")
    is_seen_soon = pin is not None and bool(pin.value) and pin.t_ms - scene.now_ms < LATE_MS
    return link.last_frame_ms is not None or is_seen_soon


def choose_report(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """The master reads the reports that have arrived, in their order; it may skip some."""
    low, high = ranges[0]
    link = scene.links[step.index]
    name = step.instance.arguments[0]
    if link.traffic.are_bytes_shown:
        begin = link.traffic.begins.get(link.connection)
        is_first = scene.get(f"links.{step.index}.slave_request_offset") < 0
        unread = link.unread
        if is_first and begin in link.traffic.reports.get(link.connection, ()):
            unread = [
                each for each in unread if each == begin or is_of_last_file(scene, begin, each)
            ]
        return [{name: offset} for offset in unread if low <= offset <= high]
    return choose_up_to(scene, step, ranges, "master.push2_slave_max_offset", 0)


def is_of_last_file(scene: Scene, begin: int | None, offset: int) -> bool:
    """A slave that asks for 0 is sent the master's last file (R-HA-11)."""
    return offset == 0 and begin is not None and begin % scene.file_bytes == 0


def choose_batch(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """The master sends the frames that are noted; into a stalled or ending link, what it has.

    So it does where the recording ends, and nobody notes any more what is under way.
    """
    link = scene.links[step.index]
    leaf = f"links.{step.index}.next_transfer_offset"
    stands = scene.get(leaf)
    frame = link.find_next_sent() if link.traffic.are_bytes_shown else None
    if frame is not None:
        name = step.instance.arguments[0]
        return [{name: frame.size_bytes}] if frame.offset == stands else []
    soon_ms = scene.now_ms + LATE_MS
    is_over = scene.plan.recording.end_ms < soon_ms
    is_lost = link.are_frames_stalled or link.ends_before(soon_ms) or is_over
    if link.traffic.are_bytes_shown and not is_lost:
        return []
    return choose_up_to(scene, step, ranges, leaf, stands)


def choose_stored(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """A slave stores the frames that have arrived, one after another."""
    link = scene.links[step.index]
    if not link.traffic.are_bytes_shown:
        leaf = scene.get_slave_end(step.index)
        return choose_up_to(scene, step, ranges, leaf, scene.get(leaf))
    frame = link.find_next_taken()
    return [] if frame is None else [{step.instance.arguments[0]: frame.size_bytes}]


def choose_up_to(
    scene: Scene, step: HiddenStep, ranges: Ranges, leaf: str, stands: int
) -> Iterable[Arguments]:
    """As many bytes as possible, or those up to what will be seen of a leaf."""
    low, high = ranges[0]
    most = min(high, scene.pins.compute_cap(leaf) - stands)
    sizes = [int(n) for n in dict.fromkeys((high, most)) if n >= low]
    name, plan = step.instance.arguments[0], scene.plan
    return [{name: n} for n in sizes if n == high or may_end_at(plan, stands + n)]


def is_connect_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """A connect that is noted is accepted later, and counted, unless it or another ends before.

    On a link that nobody notes a slave connects as soon as it can.
    """
    link = scene.links[step.index]
    if scene.sightings.has_controller and may_give_up(scene, step.index):
        return False
    if link.traffic.is_begun_by_exchange and not scene.facts.slaves[step.index].is_started:
        return False
    pin = scene.pins.find_next("master.connection_count")
    counted = scene.get_of(after, "master.connection_count")
    is_seen = pin is None or pin.value is None or bool(counted <= pin.value)
    if not link.traffic.is_shown:
        return is_seen and scene.pins.compute_cap(f"links.{step.index}.is_open") > 0
    if step.name not in scene.granted or pin is None or pin.value is None:
        return step.name in scene.granted
    ending = sum(each.ends_before(pin.t_ms) for each in scene.links if each.connection)
    return bool(counted - ending <= pin.value)


def is_position_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """The master sends from where its first frame stands."""
    link = scene.links[step.index]
    begins = link.traffic.begins.get(link.connection)
    leaf = f"links.{step.index}.transfer_start_offset"
    is_next = begins is None or scene.get_of(after, leaf) == begins
    return is_next and is_below_caps(scene, step, after)


def is_drop_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """The master notices the end of a connection, unless more of them will be counted."""
    pin = scene.pins.find_next("master.connection_count")
    if pin is None or pin.value is None:
        return True
    opens = (t_ms for link in scene.links for t_ms in link.traffic.opens_ms)
    ahead = sum(scene.now_ms < t_ms <= pin.t_ms for t_ms in opens)
    ahead += sum(name.startswith("connect_slave") for name in scene.granted)
    return bool(scene.get_of(after, "master.connection_count") >= pin.value - ahead)


def is_idle_close_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """An end that a stall hides from the proxy: fewer connections will be seen."""
    link = scene.links[step.index]
    if not link.is_stalled:
        return False
    requested = scene.pins.find_next_value(f"links.{step.index}.slave_request_offset")
    if requested is not None and requested >= 0:
        return False
    if scene.pins.find_next_value(f"links.{step.index}.is_open") == 0:
        return True
    pin = scene.pins.find_next("master.connection_count")
    if pin is None or pin.value is None or link.ends_before(pin.t_ms):
        return False
    number = sum(
        scene.get(f"links.{each.slave}.is_open") and not each.ends_before(pin.t_ms)
        for each in scene.links
    )
    is_late = scene.now_ms > link.stalled_ms + SLACK_MS
    return is_late and pin.value < number


def is_report_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """On a link that nobody notes a slave reports, unless its master will not know of it yet."""
    if scene.links[step.index].traffic.are_bytes_shown:
        return False
    seen = scene.pins.find_next_value(f"links.{step.index}.slave_request_offset")
    return seen is None or seen >= 0


def note_read(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """What was read, and what was skipped with it, is read."""
    link = scene.links[step.index]
    scene.pushed_before = scene.get("master.push2_slave_max_offset")
    offset = arguments[step.instance.arguments[0]]
    if offset in link.unread:
        del link.unread[: link.unread.index(offset) + 1]


def note_sent(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """A frame is on its way."""
    link = scene.links[step.index]
    if link.sent == link.noted:
        link.sent_ms = scene.now_ms
    link.sent += 1


def note_stored(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """A frame is taken, and what is stored now is reported."""
    scene.links[step.index].taken += 1
    note_made(scene, step, arguments, after)


def note_displaced(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """A frame is stored where the slave's log ends, which is not where the master has it."""
    end, size = scene.get(scene.get_slave_end(step.index)), arguments[step.instance.arguments[0]]
    source = scene.get(f"links.{step.index}.arrived_offset")
    link = scene.links[step.index]
    link.displaced = Displaced(scene.get("master.ghost_life"), end, end + size, source)
    note_stored(scene, step, arguments, after)


def note_made(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """The slave has made a report."""
    leaf = f"links.{step.index}.reported_offset"
    made = scene.get_of(after, leaf)
    if made != scene.get(leaf):
        link = scene.links[step.index]
        link.make_report(made, scene.now_ms if link.last_frame_ms is None else link.last_frame_ms)


def note_connected(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """A slave has connected; under a controller it may keep its log until its handshake."""
    scene.links[step.index].before_connect = scene.state
    note_granted(scene, step, arguments, after)


LINK_STEPS = Knowledge(
    wanted={"create_slave_file": is_slave_file_wanted},
    choose={
        "receive_report": choose_report,
        "transfer_batch": choose_batch,
        "append_to_slave": choose_stored,
        "append_at_wrong_offset": choose_stored,
        "drop_frame_beyond_file": choose_stored,
    },
    allowed={
        "connect_slave": is_connect_allowed,
        "drop_connection": is_drop_allowed,
        "position_at_last_file": is_position_allowed,
        "position_transfer": is_position_allowed,
        "close_idle_connection": is_idle_close_allowed,
        "report_offset": is_report_allowed,
    },
    note={
        "receive_report": note_read,
        "transfer_batch": note_sent,
        "append_to_slave": note_stored,
        "append_at_wrong_offset": note_displaced,
        "drop_frame_beyond_file": note_stored,
        "create_slave_file": note_made,
        "connect_slave": note_connected,
    },
)
"""What is known about the steps of links."""
