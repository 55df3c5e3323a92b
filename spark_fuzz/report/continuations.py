"""What random continuations of a violating schedule come to, after each of its steps."""

from __future__ import annotations

from attrs import frozen


@frozen
class Continuations:
    """What continuations come to after each step of a schedule that violates a guarantee."""

    violating: tuple[int, ...]
    """How many violate the guarantee after step 0, 1, and so on; in the end all of them."""
    drawn: int
    """How many were drawn after each step."""

    @property
    def inevitable_step(self) -> int:
        """The first step from which on all of them violate; 0 when it is so from the beginning."""
        return self._find_first_step(self.drawn)

    @property
    def likely_step(self) -> int:
        """The first step from which on more than half of them violate."""
        return self._find_first_step(self.drawn // 2 + 1)

    def __str__(self) -> str:
        step, last = self.inevitable_step, len(self.violating) - 1
        if 0 < step == last:
            likely = self.likely_step
            but = f", but likely from step {likely} on" if likely < step else ""
            before = f"before it {self.violating[-2]} of {self.drawn} continuations violate"
            return f"inevitable with the last step only{but}; {before}"
        since = f"from step {step} on" if step else "from the beginning"
        every = f"{self.drawn} of {self.drawn}"
        return f"inevitable {since}: without further faults {every} continuations violate"

    def _find_first_step(self, least: int) -> int:
        step = len(self.violating) - 1
        while step and self.violating[step - 1] >= least:
            step -= 1
        return step
