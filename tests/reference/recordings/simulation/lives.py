"""How brokers start and end: in order, by a kill, or with a loss of power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.brokers import Broker
from tests.reference.recordings.simulation.kernel import MASTER, name_instance, name_log

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group

PAUSES_MS = (0.0, 0.0, 300.0, 7500.0)
"""How long producers stay away from a master that has started."""


@define(eq=False)
class Lives:
    """Starts and ends the brokers of a group."""

    group: Group

    def start(self, broker: Broker, delay_ms: float, *, is_first: bool = False) -> None:
        """A broker's process is started so much later."""

        def load() -> None:
            is_normal = is_first or not self.group.kernel.get(f"{get_path(broker)}.has_abort_file")
            if not is_first:
                self._recover(broker)
            self._begin(broker)
            self.group.kernel.after("started", lambda: show(is_normal=is_normal), broker.process)

        def show(*, is_normal: bool) -> None:
            role = self.group.scenario.role.name if broker.number == MASTER else "SLAVE"
            broker.show("node_started", role=role, last_exit_normal=is_normal)
            broker.is_up = True
            if broker.number == MASTER:
                self._resume()

        self.group.kernel.after(delay_ms + self.group.kernel.draw_ms("load"), load)

    def _resume(self) -> None:
        """Producers find their master again: soon, or only when slaves have found it before."""
        group = self.group
        pause_ms = group.kernel.chance.choice(PAUSES_MS)
        for producer in group.producers:
            group.kernel.after(pause_ms, producer.think, group.master.process)

    def _begin(self, broker: Broker) -> None:
        group = self.group
        broker.begin()
        if broker.number != MASTER:
            group.clients[broker.number].begin()
            return
        group.ledger.count_queues()
        group.is_rolling = False
        for service in (group.ha, group.transfer, group.disk):
            service.begin()

    def _recover(self, broker: Broker) -> None:
        """``DefaultMessageStore#load``: the log is cut behind its last record."""
        kernel = self.group.kernel
        if broker.number == MASTER:
            kernel.fire_first("restart_master", "restart_master_behind_blank")
            return
        found = self.group.ledger.find_recovered(broker.number)
        name = f"restart_slave[{broker.number}]"
        ranges = kernel.find_ranges(name)
        assert ranges is not None, name
        ((low, high),) = ranges
        kernel.fire(name, recovered_offset=min(max(found, low), high))

    def kill(self, broker: Broker, *, is_power_loss: bool = False, wipes: bool = False) -> None:
        """``kill -9``: from now on it does nothing; what it has sent is still on its way."""
        broker.is_up = broker.process.is_alive = False

        def end() -> None:
            kept = self._choose_kept(broker) if is_power_loss else None
            rule, given = "kill_WHO", {}
            if kept is not None:
                rule, given = "lose_WHO_power", {"kept_offset": kept}
            self._close_all(broker)
            self.group.kernel.fire(name_instance(rule, broker.number), **given)
            self.group.write(broker.name, "node_kill9", node=broker.name)
            if kept is not None:
                self.group.kernel.after("surgery", lambda: self._note_loss(broker, kept))
            self._go_on(broker, wipes=wipes)

        self.group.kernel.after("death", end)

    def _choose_kept(self, broker: Broker) -> int | None:
        """How much of its log a power loss leaves; of a master's the end of a message."""
        kernel, ledger = self.group.kernel, self.group.ledger
        durable = kernel.get(f"{name_log(broker.number)}.ghost_durable_offset")
        end = broker.get_max()
        if broker.number != MASTER:
            return kernel.chance.randint(durable, end)
        begin = kernel.get("master.log.start_offset")
        records = ledger.list_records(MASTER, begin)
        ends = [r.end for r in records if r.end >= durable and r.queue is not None]
        has_blank_at_end = kernel.get("master.trailing_blank_offset") >= 0
        if has_blank_at_end or not ends:
            return None
        return min(kernel.chance.choice(ends), kernel.chance.choice(ends))

    def _note_loss(self, broker: Broker, kept: int) -> None:
        data: dict[str, Any] = {"node": broker.name, "lost_from_offset": kept}
        self.group.write(broker.name, "store_surgery", **data, actions=[f"zeroed [{kept},...)"])

    def _close_all(self, broker: Broker) -> None:
        """The connections of a process that ends; the proxy sees that a little later."""
        group = self.group
        for link in group.links:
            connection = link.connection
            if connection is None or broker.number not in (MASTER, link.slave):
                continue
            is_master = broker.number == MASTER
            connection.shown = group.ha.describe(connection)
            connection.is_alive, link.connection = False, None
            link.note_end_soon(connection, "master" if is_master else "slave")
            if is_master:
                group.clients[link.slave].lose(connection)
            elif connection.is_accepted:
                group.ha.lose(connection)

    def _go_on(self, broker: Broker, *, wipes: bool = False) -> None:
        """What is in memory is gone; the broker is started again later."""
        kernel = self.group.kernel
        if broker.number == MASTER:
            kernel.slots.clear()
            self.group.pending = 0
            self._forget_puts()
        down_ms = kernel.chance.choice([100.0, 800.0, 3000.0]) + kernel.chance.random() * 300
        if wipes:
            kernel.after(down_ms / 2, lambda: self._wipe(broker))
        self.start(broker, down_ms)

    def _forget_puts(self) -> None:
        """Puts that nobody answers any more are followed no longer."""
        kernel = self.group.kernel
        for _ in range(kernel.structure.messages):
            kernel.slots.append(None)
            kernel.forget(0)

    def _wipe(self, broker: Broker) -> None:
        self.group.kernel.fire(f"wipe_slave[{broker.number}]")
        self.group.write(broker.name, "store_wiped", node=broker.name)

    def stop(self, broker: Broker, *, wipes: bool = False) -> None:
        """``DefaultMessageStore#shutdown``, and the end of the process."""
        kernel, group = self.group.kernel, self.group
        if broker.number == MASTER:
            # Whoever is not answered by then never is: the rules end all puts with the store.
            broker.is_up, group.is_paused = False, True
            if group.pending:
                kernel.after(1.0, lambda: self.stop(broker), broker.process)
                return
            group.is_paused = False
        begun_ms = kernel.now_ms
        broker.is_up, broker.process.is_stopping = False, True
        kernel.fire(name_instance("begin_WHO_stop", broker.number))
        group.write(broker.name, "node_stop_begin", node=broker.name, derived=True)

        def shut() -> None:
            if broker.number == MASTER:
                group.ha.shut()
            broker.process.is_serving = False
            is_behind = broker.get("dispatched_offset") < broker.get_max()
            wait_ms = timing.DISPATCH_BEHIND_MS if is_behind else 0.0
            kernel.after(wait_ms + kernel.draw_ms("shut"), finish, broker.process)

        def finish() -> None:
            self._finish(broker, begun_ms)
            kernel.after("exit", lambda: self._exit(broker, wipes=wipes))

        delay_ms = timing.SHUTDOWN_SLEEP_MS + kernel.draw_ms("wake")
        kernel.after(delay_ms, shut, broker.process)

    def _finish(self, broker: Broker, begun_ms: float) -> None:
        kernel, group = self.group.kernel, self.group
        if broker.number != MASTER:
            connection = group.links[broker.number].connection
            if connection is not None:
                connection.shown = group.ha.describe(connection)
            if group.habits.stop_closes_socket:
                self._close_all(broker)
        kernel.fire(name_instance("finish_WHO_stop", broker.number))
        broker.process.is_alive = False
        data: dict[str, Any] = {"node": broker.name, "process_exits": True}
        data["shutdown_ms"] = round(kernel.now_ms - begun_ms)
        data["abort_file_present"] = bool(kernel.get(f"{get_path(broker)}.has_abort_file"))
        group.write(broker.name, "node_stop_clean", **data, max_offset=broker.get_max())

    def _exit(self, broker: Broker, *, wipes: bool) -> None:
        self._close_all(broker)
        self.group.write(broker.name, "process_exit", node=broker.name)
        self._go_on(broker, wipes=wipes)


def get_path(broker: Broker) -> str:
    """Where the state has a broker."""
    return "master" if broker.number == MASTER else f"slaves.{broker.number}"
