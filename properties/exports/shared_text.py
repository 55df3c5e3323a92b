"""Text that several written structures share: each part and each line is stored once.

Structures of one world differ in few rules. A part is named by its text alone, so equal parts have
equal names in all structures, and their lines are equal too. A structure is then a list of places.
"""

from __future__ import annotations

from collections.abc import Iterable


class SharedText:
    """The lines of all structures of a page, and the names of the parts in them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._places: dict[str, int] = {}
        self._names: dict[str, str] = {}

    def name_part(self, text: str) -> str:
        """The name of a part with this text, the same in every structure."""
        return self._names.setdefault(text, f"t{len(self._names)}")

    def add(self, lines: Iterable[str]) -> str:
        """Store a text; returns its places as ``0-30,45,7``, which ``assemble`` reads again."""
        runs: list[list[int]] = []
        for line in lines:
            place = self._find_place(line)
            if runs and runs[-1][1] + 1 == place:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)

    def _find_place(self, line: str) -> int:
        if line not in self._places:
            self._places[line] = len(self.lines)
            self.lines.append(line)
        return self._places[line]
