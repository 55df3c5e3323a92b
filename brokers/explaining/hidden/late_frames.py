"""Frames that a slave takes when its master has ended: its proxy had held them back.

A connection of the model takes with it what is in flight. A real one ends at each side by itself:
what the master had handed to TCP may still come.
"""

from __future__ import annotations

from brokers.explaining.scene import Scene
from brokers.explaining.seen.traffic import LinkQueues, NotedFrame
from reference.language.machine import Action
from reference.worlds.replication.controller.epochs import get_place


def hold_frames(scene: Scene) -> None:
    """The master ends now; what it has sent may still come to its slaves."""
    for link in scene.links:
        frames = link.traffic.frames.get(link.connection, ())[link.taken : link.noted]
        link.held, link.held_state = list(frames), scene.state


def deliver_held(scene: Scene) -> None:
    """Slaves take what has come by now, unless less of their log will be seen."""
    for link in scene.links:
        while link.held and link.held[0].t_ms <= scene.now_ms:
            frame = link.held[0]
            leaf = scene.get_slave_end(link.slave)
            if scene.get(leaf) + frame.size_bytes > scene.pins.compute_cap(leaf):
                break
            del link.held[0]
            deliver(scene, link, frame)


def deliver(scene: Scene, link: LinkQueues, frame: NotedFrame) -> None:
    """The rule is asked on the connection and with the master's log as they were.

    Only the slave's files keep its effect.
    """
    slave, path = link.slave, f"links.{link.slave}."
    assert link.held_state is not None
    end = scene.get(scene.get_slave_end(slave))
    before = {
        leaf: scene.get_of(link.held_state, leaf)
        for leaf in scene.machine.places
        if leaf.startswith((path, "master.log."))
    }
    before |= {
        f"{path}is_open": True,
        f"{path}arrived_offset": frame.offset,
        f"{path}next_transfer_offset": frame.offset + frame.size_bytes,
        f"{path}reported_offset": end,
    }
    step = Action(f"append_to_slave[{slave}]", {"size_bytes": frame.size_bytes})
    after = scene.machine.take(scene.replace(before), step)
    if after is not None:
        own = (f"slaves.{slave}.log.", f"epoch_files.{get_place(slave)}.")
        leaves = (leaf for leaf in scene.machine.places if leaf.startswith(own))
        scene.change({leaf: scene.get_of(after, leaf) for leaf in leaves})
        link.reported_before = scene.get(scene.get_slave_end(slave))
