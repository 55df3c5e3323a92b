"""Progress of delayed delivery in recordings: between what was shown and what was put.

No event tells when the master delivers, so each number is only known from both sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.metadata.broker_tables import DelayOffsets


@frozen
class DelayRanges:
    """The least and the most that delay offsets may be, by level."""

    put: DelayOffsets = field(factory=dict)
    """How many delayed messages the master has taken: no offset is above that."""
    memory: Mapping[str, DelayOffsets] = field(factory=dict)
    """By broker: what its memory has at least; a slave's exactly, for it never changes."""
    file: Mapping[str, DelayOffsets] = field(factory=dict)
    """By broker: what its file has at least."""

    def count_put(self, level: str) -> DelayRanges:
        """After the master has taken one more message."""
        return evolve(self, put={**self.put, level: self.put.get(level, 0) + 1})

    def find_memory_problem(self, name: str, shown: DelayOffsets, *, is_master: bool) -> str:
        """Why a broker's memory cannot be what it shows; empty: it can."""
        least = self.memory.get(name, {})
        if not is_master and shown != least:
            return f"delay_offsets_in_memory is {shown!r}, but {least!r} by the model"
        return self._find_problem("delay_offsets_in_memory", shown, least)

    def find_file_problem(self, name: str, shown: DelayOffsets) -> str:
        """Why a broker's file cannot be what it shows; empty: it can."""
        return self._find_problem("delay_offset_file", shown, self.file.get(name, {}))

    def _find_problem(self, field_name: str, shown: DelayOffsets, least: DelayOffsets) -> str:
        for level in shown.keys() | least.keys():
            low, high = least.get(level, 0), self.put.get(level, -1)
            if not low <= shown.get(level, -1) <= high:
                return (
                    f"{field_name} of level {level} is {shown.get(level)}, "
                    f"but from {low} to {high} by the model"
                )
        return ""

    def note_memory(self, name: str, offsets: DelayOffsets) -> DelayRanges:
        """After a look at a broker's memory."""
        return evolve(self, memory={**self.memory, name: offsets})

    def note_file(self, name: str, offsets: DelayOffsets) -> DelayRanges:
        """After a look at a broker's file."""
        return evolve(self, file={**self.file, name: offsets})

    def copy(self, name: str, master: str) -> DelayRanges:
        """After a slave has copied: its file has what the master's memory had (R-MS-07)."""
        return self.note_file(name, self.memory.get(master, {}))

    def begin(self, name: str, memory: DelayOffsets, file: DelayOffsets) -> DelayRanges:
        """The first look at a broker: as it shows itself."""
        levels = {level: max(self.put.get(level, 0), count) for level, count in memory.items()}
        shown = evolve(self, put={**self.put, **levels})
        return shown.note_memory(name, memory).note_file(name, file)
