"""What should have come over a link by now, and has not."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.ahead.order import Observation
from reference.recordings.clock import TIMER_RANGES
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.asking import Asking
from reference.releases.timing_differences import OWN_REPORT_TIMER


def ask_about_silence(asking: Asking, observation: Observation, asked: Asked) -> Asked:
    """What an observation asks, and besides that no slave has been silent for too long by then."""
    if not asking.plan.version.has(OWN_REPORT_TIMER):
        return asked

    def list_goals(node: Node) -> tuple[Goal, ...]:
        now_ms = observation.t_ms
        slaves = range(len(asking.plan.slaves))
        return tuple(g for s in slaves for g in list_silent(asking, node, s, now_ms))

    return evolve(asked, stages=(*asked.stages, list_goals))


def list_silent(asking: Asking, node: Node, slave: int, now_ms: float) -> tuple[Goal, ...]:
    """A slave with a timer of its own reports goes on to report, whatever comes (V-07, finding 10).

    Nothing is asked where its proxy holds reports back, or has done so since the latest one.
    """
    wire, guide = node.notes.seen.wires[slave], asking.guide
    is_there = wire.is_open and guide.get(node, f"links.{slave}.is_open")
    is_seen = not wire.are_reports_stalled and wire.last_report_ms > wire.healed_ms
    is_up = guide.get(node, f"slaves.{slave}.is_up")
    is_free = wire.last_report is None or slave in asking.plan.scripted
    if is_free or not (is_there and is_seen and is_up):
        return ()
    silent_ms = now_ms - wire.last_report_ms
    if silent_ms <= TIMER_RANGES["own_report"](asking.plan.slave_timers[slave]).high_ms:
        return ()
    text = f"the slave is connected, but has reported nothing for {silent_ms:.0f} ms"
    return (Goal(text, lambda _: False),)
