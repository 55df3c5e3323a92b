"""Who stalls, cuts, kills, stops, wipes and deletes, and who looks at the brokers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attrs import define, field

from tests.reference.recordings.simulation.brokers import Broker
from tests.reference.recordings.simulation.kernel import MASTER, name_instance
from tests.reference.recordings.simulation.proxy import Link

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group

STALLS_MS = (150.0, 900.0, 2500.0, 6000.0)
"""How long links are stalled."""


@define(eq=False)
class Operator:
    """Strikes at random, where there is something to strike."""

    group: Group
    losses: int = 0
    """How often the master has lost power."""
    actions: Mapping[str, Callable[[], None]] = field(init=False)
    """By name, as scenarios weigh them."""

    def __attrs_post_init__(self) -> None:
        self.actions = {
            "stall": self._stall,
            "cut": lambda: self._cut(is_in_frame=False),
            "cut_mid_frame": lambda: self._cut(is_in_frame=True),
            "kill_slave": lambda: self._end_slave("kill"),
            "stop_slave": lambda: self._end_slave("stop"),
            "wipe_slave": lambda: self._end_slave("wipe"),
            "lose_slave": lambda: self._end_slave("lose"),
            "kill_master": lambda: self._end_master("kill"),
            "stop_master": lambda: self._end_master("stop"),
            "lose_master": lambda: self._end_master("lose"),
            "expire": self._expire,
        }

    def begin(self) -> None:
        """It looks and strikes from now on."""
        self._look_later()
        self._strike_later()

    def _look_later(self) -> None:
        delay_ms = self.group.kernel.chance.expovariate(1 / self.group.scenario.look_ms)
        self.group.kernel.after(delay_ms, self._look)

    def _look(self) -> None:
        chance = self.group.kernel.chance
        brokers = [b for b in self.group.brokers if b.is_up]
        for broker in brokers if chance.random() < 0.3 else brokers and [chance.choice(brokers)]:
            broker.show("snapshot")
        self._look_later()

    def _strike_later(self) -> None:
        scenario, kernel = self.group.scenario, self.group.kernel
        if scenario.strikes:
            kernel.after(kernel.chance.expovariate(1 / scenario.strike_ms), self._strike)

    def _strike(self) -> None:
        if self.group.is_ending:
            return
        names, weights = zip(*self.group.scenario.strikes.items(), strict=True)
        self.actions[self.group.kernel.chance.choices(names, weights)[0]]()
        self._strike_later()

    def _choose_link(self) -> Link | None:
        links = [link for link in self.group.links if not link.are_frames_held]
        links = [link for link in links if not link.are_reports_held and not link.is_cutting_frame]
        return self.group.kernel.chance.choice(links) if links else None

    def _stall(self) -> None:
        link, chance = self._choose_link(), self.group.kernel.chance
        if link is not None:
            both = [(True, True)] * 3 + [(True, False), (False, True)]
            holds_frames, holds_reports = chance.choice(both)
            link.stall(holds_frames=holds_frames, holds_reports=holds_reports)
            stall_ms = chance.choice(STALLS_MS) * chance.uniform(0.8, 1.2)
            self.group.kernel.after(stall_ms, link.heal)

    def _cut(self, *, is_in_frame: bool) -> None:
        link = self._choose_link()
        connection = link.connection if link else None
        if link is None or connection is None or connection.is_cut or not connection.is_accepted:
            return
        if is_in_frame:
            link.is_cutting_frame = True
        else:
            link.cut("link_cut")

    def _end_slave(self, how: str) -> None:
        chance = self.group.kernel.chance
        slaves = [broker for broker in self.group.brokers[1:] if broker.is_up]
        if slaves:
            self._end(chance.choice(slaves), how, is_clean=chance.random() < 0.5)

    def _end_master(self, how: str) -> None:
        is_lost = how == "lose"
        if self.group.master.is_up and not (is_lost and self._has_lost_enough()):
            self.losses += is_lost
            self._end(self.group.master, how, is_clean=False)

    def _has_lost_enough(self) -> bool:
        return self.losses >= self.group.scenario.losses_max

    def _end(self, broker: Broker, how: str, *, is_clean: bool) -> None:
        lives, wipes = self.group.lives, how == "wipe"
        if how == "stop" or (wipes and is_clean):
            lives.stop(broker, wipes=wipes)
        else:
            lives.kill(broker, is_power_loss=how == "lose", wipes=wipes)

    def _expire(self) -> None:
        """``DefaultMessageStore#executeDeleteFilesManually``: flushed files before the last one."""
        group = self.group
        broker = group.kernel.chance.choice(group.brokers)
        if not broker.is_up or (broker.number == MASTER and group.is_rolling):
            return
        rules = ["expire_WHO_file"]
        if broker.number == MASTER:
            rules.append("expire_uncopied_WHO_file")
        names = [name_instance(rule, broker.number) for rule in rules]
        most, deleted = group.kernel.chance.randint(1, 4), 0
        while deleted < most and any(group.kernel.try_to(name) for name in names):
            deleted += 1
        group.write(broker.name, "delete_expired_files", node=broker.name, deleted=deleted)
