"""Alarms as lines, as JSON, and with the figures of brokers and links as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from brokers.recorder.watch.alarms import DEFINITIONS, Alarm
from brokers.recorder.watch.watch import Watch

PREFIX = "rmqspec_"


def describe_alarm(alarm: Alarm, began_ms: float | None = None) -> str:
    """One line. Times are those of day, or seconds since a recording began."""
    definition, since = alarm.definition, show_time(alarm.since_ms, began_ms)
    severity = "over" if alarm.is_over else definition.severity
    count = f" (number {alarm.count})" if alarm.count > 1 and not alarm.is_over else ""
    return (
        f"{show_time(alarm.raised_ms, began_ms)} {severity} {definition.name} {alarm.subject}: "
        f"{alarm.text}{count}; since {since}; {definition.page}"
    )


def show_time(moment_ms: float, began_ms: float | None) -> str:
    """The time of day, or seconds since the begin."""
    if began_ms is not None:
        return f"{(moment_ms - began_ms) / 1000:.3f} s"
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def as_json(alarm: Alarm) -> dict[str, Any]:
    """For other programs."""
    definition = alarm.definition
    return {
        "alarm": definition.name,
        "severity": definition.severity,
        "subject": alarm.subject,
        "state": "over" if alarm.is_over else "raised",
        "text": alarm.text,
        "since_ms": round(alarm.since_ms, 3),
        "raised_ms": round(alarm.raised_ms, 3),
        "count": alarm.count,
        "page": definition.page,
    }


class Metric(NamedTuple):
    """A metric with its samples: labels and value."""

    name: str
    kind: str
    help: str
    samples: Iterable[tuple[Mapping[str, str], float]]


def render_metrics(metrics: Iterable[Metric]) -> str:
    """The text format of Prometheus, version 0.0.4."""
    lines = list[str]()
    for name, kind, text, samples in metrics:
        lines += [f"# HELP {PREFIX}{name} {text}", f"# TYPE {PREFIX}{name} {kind}"]
        for labels, value in samples:
            pairs = ",".join(f'{key}="{escape(each)}"' for key, each in labels.items())
            shown = f"{{{pairs}}}" if pairs else ""
            lines.append(f"{PREFIX}{name}{shown} {value:.15g}")
    return "\n".join([*lines, ""])


def escape(text: str) -> str:
    """A label's value."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def list_watch_metrics(watch: Watch) -> Iterator[Metric]:
    """Alarms, and what is known of brokers and links."""
    severities = {each.name: each.severity for each in DEFINITIONS}
    keys = [(name, subject) for name, subject in watch.counts]
    labels = [{"alarm": n, "severity": severities[n], "subject": s} for n, s in keys]
    raised = [(label, watch.counts[key]) for label, key in zip(labels, keys, strict=True)]
    lasts = [(label, key in watch.active) for label, key in zip(labels, keys, strict=True)]
    yield Metric("alarms_total", "counter", "How often an alarm was raised.", raised)
    yield Metric("alarm_active", "gauge", "1 while an alarm lasts.", lasts)
    looks = [(name, node.look) for name, node in watch.known.nodes.items()]
    known = [({"node": name}, look) for name, look in looks if look is not None]
    ends = [(label, look.end) for label, look in known]
    begins = [(label, look.begin) for label, look in known]
    behind = [(label, look.end - look.dispatched) for label, look in known]
    yield Metric("log_end_offset", "gauge", "One past the last byte of the log.", ends)
    yield Metric("log_begin_offset", "gauge", "First byte of the log; -1 without files.", begins)
    yield Metric("dispatch_behind_bytes", "gauge", "Log that is not dispatched.", behind)
    links = watch.known.links.items()
    opened = [({"link": name}, link.opened) for name, link in links]
    open_now = [({"link": name}, len(link.transfers)) for name, link in links]
    yield Metric("link_connections_total", "counter", "Connections of a link.", opened)
    yield Metric("link_connections", "gauge", "Connections that have not ended.", open_now)
    reported = [
        ({"node": name}, node.end)
        for name, node in watch.known.nodes.items()
        if node.role == "SLAVE" and node.end is not None
    ]
    yield Metric("slave_end_offset", "gauge", "The highest end seen of a slave.", reported)
