"""What should have come over a link by now, and has not."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.hidden_steps import check_reports_come
from reference.recordings.log.asking import Asking
from reference.recordings.order import Observation
from reference.recordings.state import Explanation


def ask_about_silence(asking: Asking, observation: Observation, asked: Asked) -> Asked:
    """What an observation asks, and besides that no slave has been silent for too long by then."""

    def list_goals(node: Node) -> tuple[Goal, ...]:
        return asking.judge(node, observation, check_all_report)

    return evolve(asked, stages=(*asked.stages, list_goals))


def check_all_report(view: Explanation) -> None:
    """Each slave with a timer of its own reports goes on to report. Raises Blocked."""
    for slave, link in enumerate(view.cluster.links):
        if link.is_open:
            check_reports_come(view, slave)
