"""Every step that the store makes of its bytes is one that a rule allows, or a gap that is told."""

from __future__ import annotations

from hypothesis import given

from tests.abstraction.covering import find_cover
from tests.abstraction.forgetting import forget
from tests.abstraction.gaps import find_gap
from tests.abstraction.group import make_group
from tests.abstraction.histories import COMMANDS, Command, play


@given(COMMANDS)
def test_every_step_of_bytes_is_one_of_a_rule(commands: list[Command]) -> None:
    """From what is forgotten before it to what is forgotten after it."""
    for before, step in play(make_group(), commands):
        found, misses = find_cover(forget(before), step)
        if found is None and find_gap(before, step) is None:
            raise AssertionError(f"no rule is the step {step.name}: {'; '.join(misses)}")
