"""What of a recording was looked at, what was not, and what nobody knows, in lines and in JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from brokers.recordings.inspection.looks import Counted, Looks
from brokers.recordings.inspection.unknown import Unknown, find_unknown
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Recording

COLUMNS = 80
"""Width of a terminal."""


@frozen
class Looked:
    """What was looked at in one recording."""

    counted: Counted
    unknown: Unknown

    @property
    def unread(self) -> Mapping[str, int]:
        """The fields of which nobody has looked at any value, those of remarks left out."""
        names = self.counted.never_read
        return {
            n: self.counted.unread[n] for n in names if n.partition(".")[0] not in IGNORED_KINDS
        }

    def as_json(self) -> dict[str, Any]:
        """For other programs."""
        return {
            "events": dict(sorted(self.counted.events.items())),
            "values_read": dict(sorted(self.counted.read.items())),
            "values_not_read": dict(sorted(self.counted.unread.items())),
            "kinds_not_read": list(self.counted.unread_kinds),
            "unknown_kinds": dict(sorted(self.unknown.kinds.items())),
            "unknown_fields": dict(sorted(self.unknown.fields.items())),
        }


def find_looked(recording: Recording, looks: Looks) -> Looked:
    """What was looked at, once all explanations are done."""
    return Looked(looks.count(recording), find_unknown(recording))


def describe_looked(looked: Looked, *, is_whole: bool, is_short: bool = False) -> Iterator[str]:
    """What was not looked at, and what is unknown; with ``is_whole`` every count too.

    With ``is_short`` nobody has come to the end of the recording: what is behind is not told.
    """
    if is_whole:
        for kind in sorted(looked.counted.events):
            yield from list_kind(looked.counted, kind)
    elif looked.unread and not is_short:
        yield from list_counts("not looked at", looked.unread)
    if looked.unknown.kinds:
        yield from list_counts("unknown kinds of events, left out", looked.unknown.kinds)
    if looked.unknown.fields:
        yield from list_counts("unknown fields, left out", looked.unknown.fields)


def list_counts(title: str, counts: Mapping[str, int]) -> list[str]:
    """Names with their counts, in lines that fit."""
    told = ", ".join(f"{name} {counts[name]}" for name in sorted(counts)) or "none"
    return fill(f"{title}: {told}")


def fill(text: str) -> list[str]:
    """The lines of a text, none too long."""
    return textwrap.wrap(
        text,
        COLUMNS,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def list_kind(counted: Counted, kind: str) -> list[str]:
    """A kind of event: how many there are, which fields were looked at, and which were not.

    A field's number is told where it is not that of the events.
    """
    events = counted.events[kind]
    parts = []
    for title, counts in (("", counted.read), ("not looked at: ", counted.unread)):
        prefix = f"{kind}."
        fields = {
            n.removeprefix(prefix): c for n, c in sorted(counts.items()) if n.startswith(prefix)
        }
        names = [n if c == events else f"{n} {c}" for n, c in fields.items()]
        if names:
            parts.append(title + ", ".join(names))
    return fill(f"{kind} {events}: {'; '.join(parts) or 'nothing but when'}")
