"""Who kills, stops, wipes, cuts, stalls, deletes and takes the power away, and looks at brokers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attrs import define, field

from reference.store import expiry
from tests.brokers.broker.simulated.scripts import zero_from
from tests.brokers.broker.simulated.tap import LinkTap

if TYPE_CHECKING:
    from tests.brokers.broker.simulated.group import Group, Node

FIRST_MS = 1000.0
LOAD_MS = 300.0
NEXT_EPOCH_SHARE = 0.6
"""How many of a master's starts are in another epoch than before."""
DOWN_MS = (0.0, 700.0, 2500.0)
EXIT_MS = 5.0
STALL_MS = (100.0, 3000.0)
ALL_SHARE = 0.3
"""How many of the looks are at all brokers."""
IN_CLASSIC_MODE = ("lose", "expire")
"""Recordings of controller mode have no such strikes."""


@define(eq=False, repr=False)
class Operator:
    """Strikes and looks at random, as a scenario weighs it."""

    group: Group
    strikes: list[str] = field(factory=list)
    """What has befallen the group."""
    losses: int = 0
    """How often the master has lost power."""

    def begin(self) -> None:
        """From now on."""
        self._look_later()
        self.group.network.after(FIRST_MS, self._strike_later, None)

    def _later(self, mean_ms: float, act: Callable[[], None]) -> None:
        wait_ms = self.group.chance.expovariate(1 / mean_ms)
        self.group.network.after(wait_ms, act, None)

    def _look_later(self) -> None:
        self._later(self.group.scenario.look_ms, self._look)

    def _look(self) -> None:
        chance = self.group.chance
        shown = [node for node in self.group.nodes if node.is_up]
        for node in shown if chance.random() < ALL_SHARE else shown and [chance.choice(shown)]:
            assert node.broker is not None
            node.broker.events.write_snapshot()
        self._look_later()

    def _strike_later(self) -> None:
        if self.group.scenario.strikes:
            self._later(self.group.scenario.strike_ms, self._strike)

    def _strike(self) -> None:
        if self.group.is_ending:
            return
        self._strike_later()
        weights = self.group.scenario.strikes
        kind = self.group.chance.choices(list(weights), list(weights.values()))[0]
        act, _, who = kind.partition("_")
        if act in ("cut", "stall"):
            self._disturb(self.group.chance.choice(self.group.taps), kind)
        elif not (self.group.is_controlled and act in IN_CLASSIC_MODE):
            nodes = {"master": self.group.nodes[:1], "slave": self.group.nodes[1:]}
            node = self.group.chance.choice(nodes.get(who, self.group.nodes))
            if node.is_up and self._is_within_limit(kind):
                self.strikes.append(kind)
                self._hit(node, act)

    def _is_within_limit(self, kind: str) -> bool:
        if kind == "lose_master":
            self.losses += 1
            return self.losses <= self.group.scenario.losses_max
        return True

    def _hit(self, node: Node, act: str) -> None:
        if act == "expire":
            self._expire(node)
        elif act == "stop" or (act == "wipe" and self.group.chance.random() < 0.5):
            assert node.broker is not None
            node.broker.stop(lambda: self._exit(node, wipes=act == "wipe"))
        else:
            kept = self._choose_kept(node) if act == "lose" else None
            node.end()
            self.group.note("node_kill9", node=node.name)
            if kept is not None:
                zero_from(node.settings.store_root, kept, self.group.scenario.file_bytes)
                actions = [f"zeroed [{kept},...)"]
                self.group.note(
                    "store_surgery", node=node.name, lost_from_offset=kept, actions=actions
                )
            self._start_again(node, wipes=act == "wipe")

    def _exit(self, node: Node, *, wipes: bool) -> None:
        def leave() -> None:
            node.end()
            self.group.note("process_exit", node=node.name)
            self._start_again(node, wipes=wipes)

        self.group.network.after(EXIT_MS, leave, None)

    def _start_again(self, node: Node, *, wipes: bool) -> None:
        group = self.group
        if wipes:
            shutil.rmtree(node.settings.store_root)
            group.note("store_wiped", node=node.name)
        is_told = group.is_controlled and node is group.master
        if is_told and group.chance.random() < NEXT_EPOCH_SHARE:
            node.settings.epoch = (node.settings.epoch or 1) + 1
        down_ms = group.chance.choice(DOWN_MS) + LOAD_MS
        group.network.after(down_ms, node.start, None)

    def _choose_kept(self, node: Node) -> int | None:
        """What a power loss leaves: all that was flushed, and any part of what was not.

        Of a master's log it leaves whole messages: the model does not follow where each begins.
        """
        assert node.broker is not None
        low, high = node.broker.store.flushed_offset, node.broker.store.max_offset
        if node.broker.store.min_offset < 0:
            return None
        if node is not self.group.master:
            return self.group.chance.randint(low, high)
        ends = [end for end in self._list_message_ends() if low <= end <= high]
        return self.group.chance.choice(ends) if ends else None

    def _list_message_ends(self) -> Iterator[int]:
        """Of the puts that this life of the master has answered."""
        for line in reversed(self.group.lines):
            if line["ev"] == "node_started" and line["node"] == self.group.master.name:
                return
            if line["ev"] == "put" and "wrote_offset" in line:
                yield line["wrote_offset"] + line["wrote_bytes"]

    def _expire(self, node: Node) -> None:
        """``DefaultMessageStore#executeDeleteFilesManually``: old files, flushed and dispatched."""
        assert node.broker is not None
        store = node.broker.store
        leaves = store.list_leaves()
        if min(leaves["flushed_offset"], leaves["dispatched_offset"]) < leaves["last_file_offset"]:
            return
        now_ms = store.host.wall_ms()
        store.store, deleted = expiry.delete_expired_file(
            store.store, 0, 0, now_ms, is_clean_immediately=True
        )
        store.files.remove_gone(store.store)
        store.learn_log()
        self.group.note("delete_expired_files", node=node.name, deleted=deleted)

    def _disturb(self, tap: LinkTap, kind: str) -> None:
        if tap.wire is None or tap.are_frames_held or tap.are_reports_held:
            return
        self.strikes.append(kind)
        if kind == "cut":
            tap.cut()
        elif kind == "cut_mid_frame":
            tap.cuts_next_frame = True
        else:
            holds = self.group.chance.choice([(True, True), (True, False), (False, True)])
            tap.stall(holds_frames=holds[0], holds_reports=holds[1])
            self.group.network.after(self.group.network.draw(STALL_MS), tap.heal, None)
