"""What somebody who plays a broker sends over a link: he says what he likes, and no rule tells."""

from __future__ import annotations

from brokers.explaining.observing import EventObserver
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues
from brokers.recordings.reading import Event


def see_played_report(observer: EventObserver, link: LinkQueues, offset: int) -> None:
    """A report of a slave that is played; the proxy forwards it."""
    scene, path = observer.scene, f"links.{link.slave}"
    if offset < 0:
        raise Refusal(f"a report is a number from 0 on, not {offset}")
    if not scene.get(f"{path}.is_open"):
        return
    before = scene.get(f"{path}.reported_offset") if link.last_report is not None else offset
    scene.change({f"{path}.has_reported": True, f"{path}.reported_offset": max(before, offset)})
    link.unread.append(offset)


def see_played_frame(observer: EventObserver, link: LinkQueues, event: Event) -> None:
    """A frame of a master that is played: at any offset, once the slave has taken those before.

    Its bytes are those of a master whose log is long enough; a slave does not look at them
    (HAClient#dispatchReadRequest).
    """
    scene = observer.scene
    begin, size = event["master_offset"], event["body_bytes"]
    if begin < 0:
        raise Refusal(f"a frame begins at 0 or later, not at {begin}")
    if link.refused_frame_ms is not None:
        raise Refusal("the slave has refused a frame on this connection")
    if not is_going_on(scene, link.slave, begin) and link.taken < link.noted:
        raise Refusal("the slave has not taken the frames before")
    scene.change(compute_sent_leaves(scene, link.slave, event))
    link.sent += bool(size)
    link.noted += bool(size)
    link.last_end = begin + size
    if scene.try_step(f"refuse_frame[{link.slave}]", {}) is not None:
        link.refused_frame_ms = scene.now_ms


def is_going_on(scene: Scene, slave: int, begin: int) -> bool:
    """A frame follows others that are on their way, of which the first follows the slave's log."""
    link = f"links.{slave}"
    has_file = scene.get(f"slaves.{slave}.log.has_file")
    end = scene.get(scene.get_slave_end(slave) if has_file else f"{link}.transfer_start_offset")
    is_in_step = scene.get(f"{link}.arrived_offset") == end
    return bool(is_in_step and scene.get(f"{link}.next_transfer_offset") == begin)


def compute_sent_leaves(scene: Scene, slave: int, event: Event) -> dict[str, int]:
    """The leaves of a state in which this frame is on its way, behind those that it follows."""
    begin, link = event["master_offset"], f"links.{slave}"
    end = begin + event["body_bytes"]
    leaves = {
        f"{link}.next_transfer_offset": end,
        "master.log.has_file": True,
        scene.master_end: max(end, scene.get(scene.master_end)),
    }
    if is_going_on(scene, slave, begin):
        return leaves
    leaves[f"{link}.arrived_offset"] = begin
    if not scene.get(f"slaves.{slave}.log.has_file"):
        leaves[f"{link}.transfer_start_offset"] = begin - begin % scene.file_bytes
    return leaves
