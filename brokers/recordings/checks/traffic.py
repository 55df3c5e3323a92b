"""What a link's proxy shows, held against the clocks of slave and master."""

from __future__ import annotations

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.clock import SLACK_MS
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View

CLOSING_SIDES = ("slave", "master", "proxy", "reset")
"""What ``closed_by`` may say. Both ends may drop a connection within a ms, and either is named."""


def check_target_down(view: View, event: Event) -> View:
    """The proxy could not reach the master: its process does not run, or it is ending."""
    view.plan.find_slave_of_link(event)
    master = view.master
    is_running = view.is_up(MASTER) and master.is_started
    is_settled = view.now_ms - master.started_ms > SLACK_MS
    if is_running and is_settled and not view.is_stopping(MASTER):
        raise Blocked("the master runs, so its port can be reached")
    return view
