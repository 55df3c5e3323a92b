"""Recordings played back to a watch, as fast as they can be read."""

from __future__ import annotations

from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import Alarm
from brokers.recorder.watch.watch import Watch
from brokers.recordings.kinds import EXPLAINED_KINDS, LATE
from brokers.recordings.reading import Recording
from reference.releases.versions import Version

TICK_MS = 100.0
"""Time passes in such steps where a recording is silent."""


def play(recording: Recording, watch: Watch) -> None:
    """Tell a watch all lines of a recording, and the time between them."""
    config = recording.config
    watch.describe(config["nodes"], str(config.data.get("rocketmq", Version().name)))
    now_ms = config.t_ms
    for event in recording.events:
        while now_ms + TICK_MS < event.t_ms:
            now_ms += TICK_MS
            watch.tick(now_ms)
        now_ms = event.t_ms
        if event.kind in EXPLAINED_KINDS:
            late_ms = event.data.get(LATE, 0.0)
            watch.feed(Line(event.t_ms, event.kind, dict(event.data), late_ms))


def play_all(recording: Recording) -> list[Alarm]:
    """The alarms of a recording, in the order in which they are told."""
    alarms = list[Alarm]()
    play(recording, Watch(alarms.append))
    return alarms
