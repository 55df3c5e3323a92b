"""A wrong copy of a recording, as the edits that make it."""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from brokers.recordings.inspection.looks import Place
from brokers.recordings.reading import Event, Recording

WHOLE: Place = ()
"""The path of an event itself: what stands there instead are events, or none."""

TIME: Place = ("t_ms",)
"""An event whose time is edited stands where it belongs."""


@frozen
class Edit:
    """One value of one event that is another one."""

    seq: int
    path: Place
    new: Any
    old: Any = None


@frozen
class Corruption:
    """One wrong copy of a recording."""

    name: str
    """What is changed, for example ``put.wrote_offset``."""
    change: str
    """How, for example ``+1``."""
    edits: tuple[Edit, ...]

    @property
    def seq(self) -> int:
        """The first event that is changed."""
        return self.edits[0].seq

    @property
    def is_in_place(self) -> bool:
        """Every event stands where it stood."""
        return all(edit.path not in (WHOLE, TIME) for edit in self.edits)

    def apply(self, recording: Recording) -> Recording:
        """The copy."""
        for edit in self.edits:
            recording = apply_edit(recording, edit)
        return recording

    def describe(self) -> str:
        """In one line."""
        what = "; ".join(f"{edit.old!r} becomes {edit.new!r}" for edit in self.edits)
        return f"seq {self.seq} {self.name}: {what}"


def apply_edit(recording: Recording, edit: Edit) -> Recording:
    """A copy with one value of one event changed."""
    place = next(i for i, event in enumerate(recording.events) if event.seq == edit.seq)
    if edit.path == WHOLE:
        return replace_event(recording, place, *edit.new)
    if edit.path == TIME and edit.new is not None:
        return move(recording, place, edit.new)
    event = recording.events[place]
    changed = evolve(event, data=replace_in(event.data, edit.path, edit.new))
    return replace_event(recording, place, changed)


def replace_in(data: Any, path: Place, new: Any) -> Any:
    """A copy of lists and objects in which one value is replaced."""
    step, *rest = path
    inner = replace_in(data[step], tuple(rest), new) if rest else new
    if isinstance(data, list):
        assert isinstance(step, int)
        return [*data[:step], inner, *data[step + 1 :]]
    return {**data, step: inner}


def replace_event(recording: Recording, place: int, *others: Event) -> Recording:
    """A recording with other events in the place of one."""
    events = (*recording.events[:place], *others, *recording.events[place + 1 :])
    return evolve(recording, events=events)


def change_event(recording: Recording, place: int, **fields: Any) -> Recording:
    """A recording with some fields of one event changed."""
    event = recording.events[place]
    changed = evolve(event, data={**event.data, **fields})
    return replace_event(recording, place, changed)


def move(recording: Recording, place: int, t_ms: float) -> Recording:
    """A recording in which one event is noted at another time; the numbers stay increasing."""
    event = recording.events[place]
    moved = evolve(event, t_ms=t_ms, data={**event.data, "t_ms": t_ms})
    others = [*recording.events[:place], *recording.events[place + 1 :]]
    index = sum(other.t_ms <= t_ms for other in others)
    seqs = [each.seq for each in recording.events]
    numbered = tuple(
        evolve(each, seq=seq, data={**each.data, "seq": seq})
        for seq, each in zip(seqs, [*others[:index], moved, *others[index:]], strict=True)
    )
    return evolve(recording, events=numbered)
