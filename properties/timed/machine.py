"""A discrete-event simulation: the rules of a pair of brokers, each step at its time.

Every step that a rule allows gets a time when it becomes possible, and is forgotten when it ceases
to be. The earliest is taken. Timers of brokers count from what starts them; whatever no timer
decides (threads, sockets, producers, failures) takes a random time within a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from types import MappingProxyType

from attrs import define, evolve, field, frozen

from properties.timed.clocks import LOOK_MS, Clocks
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action, Enabled, compute_machine
from reference.worlds.replication.changes import put_outlasts_first_report
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.put import is_at_head_of_line, is_pending, is_waiting_for_slave
from reference.worlds.replication.state import NOT_SENT, Cluster, Message

MESSAGES = 3
"""How many puts are followed at once: their waits for a slave form a queue."""

ANY_NUMBER = 1_000_000
"""More failures of a kind than a simulation has time for."""

SIZES = Parameters(
    ha_slave_fallbehind_max_bytes=400,
    ha_transfer_batch_size_bytes=8,
    mapped_file_size_bytes=500,
    message_size_max_bytes=12,
    end_file_min_blank_bytes=1,
    ghost_log_size_max_bytes=5_000,
    limits=FaultCounts(
        master_kills=ANY_NUMBER, slave_kills=ANY_NUMBER, link_cuts=ANY_NUMBER, overlong_waits=0
    ),
)
"""A log of one file: what timers decide happens within it."""

SOON = (0, 20)
"""A thread or a socket of an idle machine."""

DELAYS_MS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "append_message": (0, 2_500),
        "append_other_message": (500, 5_000),
        "flush_master": (0, 500),
        "flush_slave": (0, 500),
        "flush_for_put": SOON,
        "dispatch_master": SOON,
        "dispatch_slave": SOON,
        "answer_disk_wait": SOON,
        "give_up_disk_wait": SOON,
        "skip_slave_wait": SOON,
        "refuse_slave_wait": SOON,
        "request_slave_wait": SOON,
        "answer_slave_wait": SOON,
        "give_up_slave_wait": SOON,
        "wait_one_second": (LOOK_MS, LOOK_MS + 5),
        "connect_slave": (50, LOOK_MS),
        "drop_connection": (0, LOOK_MS),
        "receive_report": SOON,
        "position_transfer": SOON,
        "transfer_batch": SOON,
        "create_slave_file": SOON,
        "append_to_slave": (0, 1_500),
        "append_at_wrong_offset": SOON,
        "refuse_frame": SOON,
        "discard_frame": SOON,
        "begin_slave_stop": (2_000, 30_000),
        "finish_slave_stop": (0, 1_000),
        "kill_slave": (1_000, 20_000),
        "restart_slave": (50, 2_500),
        "restart_slave_beyond_received": (50, 2_500),
        "restart_slave_with_stale_bytes": (50, 2_500),
        "kill_master": (20_000, 90_000),
        "restart_master": (50, 2_500),
        "cut_link": (10_000, 60_000),
    }
)
"""How long a step takes from when it is possible; a rule that is neither here nor timed by a broker
is not taken."""

FAILURES = ("kill_slave", "begin_slave_stop", "kill_master", "cut_link")
"""Rules that strike a pair; without them its brokers and its connection stay as they are."""

NEVER = -1


@frozen
class Surroundings:
    """What no broker's timer decides: how large messages and batches are, what fails, and when."""

    delays_ms: Mapping[str, tuple[int, int]] = DELAYS_MS
    sizes: Parameters = SIZES

    def change(self, **delays_ms: tuple[int, int]) -> Surroundings:
        """The same with other delays."""
        return evolve(self, delays_ms={**self.delays_ms, **delays_ms})

    def leave_out(self, *rules: str) -> Surroundings:
        """The same without some rules, for example those of failures."""
        kept = {name: delay for name, delay in self.delays_ms.items() if name not in rules}
        return evolve(self, delays_ms=kept)


STRUCK = Surroundings()
"""A pair that fails often, over a slow network."""


@frozen
class TimedStep:
    """A step of the simulation."""

    at_ms: int
    action: Action
    before: Cluster
    after: Cluster
    sealed: tuple[int, ...] = ()
    """The puts that can only time out any more, before the step; their turn may be to come."""


def permit_all(structure: ClaimedGroup) -> ClaimedGroup:
    """The group with the rules that leave the order of its timers open, following several puts."""
    late = put_outlasts_first_report.VARIANT
    names = () if late in structure.changes else (late.name,)
    return evolve(structure, variants=(*names, *structure.variants)).follow_messages(MESSAGES)


def is_open(put: Message) -> bool:
    """The put is still to come, or not answered."""
    return (put.phase == NOT_SENT) | is_pending(put)


@define
class TimedPair:
    """A pair of brokers under its clocks."""

    structure: ClaimedGroup
    """Its rules; they leave the order of timers open."""
    clocks: Clocks
    draw: Random
    surroundings: Surroundings = STRUCK
    report_timer_ms: int = 0
    """When the slave's timer of reports was last set: its start, its connect or its last report."""
    connected_ms: int = 0
    requested_ms: dict[int, int] = field(factory=dict)
    """When each put began to wait for a slave."""

    def run(self, steps_max: int) -> Iterator[TimedStep]:
        """The steps of a pair from its first start on, until its puts are over, or these many."""
        machine = compute_machine(self.structure)
        state: Cluster = self.structure.make_initial(self.surroundings.sizes)
        now, due = 0, dict[str, int]()
        for _ in range(steps_max):
            enabled = {e.instance.name: e for e in machine.enabled(state)}
            due = {name: at for name, at in due.items() if name in enabled}
            for name in [each for each in enabled if each not in due]:
                at = self.find_time(enabled[name], state, now)
                if at != NEVER:
                    due[name] = at
            if not due or not any(is_open(put) for put in state.messages):
                return
            name = min(due, key=lambda each: (due[each], each))
            now = max(now, due.pop(name))
            action = self.choose(enabled[name])
            after = machine.step(state, action).cluster
            sealed = [m for m in self.requested_ms if self.is_sealed(m, now)]
            yield TimedStep(now, action, state, after, tuple(sorted(sealed)))
            self.note(action, now)
            state = after

    def find_time(self, enabled: Enabled, state: Cluster, now: int) -> int:
        """When a step is taken that has just become possible; NEVER if it is not, so far."""
        name, clocks = enabled.instance.rule.name, self.clocks
        if name in ("report_offset", "report_offset_to_earlier_put"):
            return self.report_timer_ms + clocks.first_report_ms + 1 + self.draw.randrange(LOOK_MS)
        if name == "close_idle_connection":
            is_silent = not state.links[0].has_reported
            due = self.connected_ms + clocks.housekeeping_ms + 1 + self.draw.randrange(LOOK_MS)
            return due if is_silent else NEVER
        if name == "time_out_slave_wait":
            return self.find_end_of_wait(state, enabled.instance.indexes[0], now)
        is_refused = name == "answer_slave_wait" and self.is_sealed(
            enabled.instance.indexes[0], now
        )
        delay = self.surroundings.delays_ms.get(name)
        if delay is None or is_refused:
            return NEVER
        return now + self.draw.randint(*delay)

    def find_end_of_wait(self, state: Cluster, message: int, now: int) -> int:
        """When a put's wait for a slave times out, once that time has begun."""
        begun = self.requested_ms[message]
        if self.clocks.is_wait_timed_by_turn:
            put = state.messages[message]
            if not (is_waiting_for_slave(put) and is_at_head_of_line(state, message)):
                return NEVER
            begun = now
        late = self.draw.randint(0, self.clocks.slave_wait_late_ms)
        return begun + self.clocks.slave_wait_ms + late

    def is_sealed(self, message: int, now: int) -> bool:
        """The put can only time out any more, whatever a slave reports."""
        age = now - self.requested_ms[message]
        return self.clocks.is_late_report_refused and age >= self.clocks.slave_wait_ms

    def choose(self, enabled: Enabled) -> Action:
        """The step with arguments; producers wait for the store, batches are of any size."""
        arguments = {
            r.name: 1 if r.name == "waits_for_store" else self.draw.randint(r.low, r.high)
            for r in enabled.ranges
        }
        return Action(enabled.instance.name, arguments)

    def note(self, action: Action, now: int) -> None:
        """Set the timers that a step sets."""
        rule = action.rule_name
        if rule == "request_slave_wait" and action.index is not None:
            self.requested_ms[action.index] = now
        if rule == "connect_slave":
            self.connected_ms = now
        is_set_by_connect = self.clocks.is_report_timed_by_connection
        is_reporting = rule in ("report_offset", "report_offset_to_earlier_put", "append_to_slave")
        is_starting = rule.startswith("restart_slave")
        if is_reporting or (rule == "connect_slave" if is_set_by_connect else is_starting):
            self.report_timer_ms = now
