"""What a slave that somebody plays has reported: no rule asks anything of it."""

from __future__ import annotations

from reference.recordings.ahead.order import Observation
from reference.recordings.checks.traffic import check_not_held
from reference.recordings.hidden.node import Asked, Node
from reference.recordings.log.asking import Asking, is_fact


def observe_scripted_report(
    asking: Asking, observation: Observation, node: Node, slave: int
) -> Asked:
    """Somebody who plays a slave reports what he likes; the proxy forwards it."""
    event, link = observation.event, f"links.{slave}"
    offset = event["slave_offset"]
    reports = (*node.notes.wires[slave].reports, offset)
    sent = {f"{link}.has_reported": 1, f"{link}.reported_offset": max(reports)}
    shown = {"last_report": offset, "last_report_ms": event.t_ms}

    def forward(after: Node) -> Node:
        notes = after.notes.see(lambda seen: seen.change_wire(slave, **shown))
        notes = notes.change_wire(slave, reports=(*after.notes.wires[slave].reports, offset))
        return asking.change(after.edit(notes=notes), sent)

    stalled = asking.later(
        observation,
        lambda view: check_not_held(view, slave, view.wires[slave].are_reports_stalled),
    )
    is_open = asking.has_value("the connection is open", f"{link}.is_open", True)
    is_number = is_fact(f"a report is a number from 0 on, as {offset} is", is_so=offset >= 0)
    return Asked((stalled, lambda _: (is_number, is_open)), after=forward)
