"""Every step that the store makes of its bytes is one that a rule allows."""
from __future__ import annotations
from hypothesis import given
from tests.abstraction.covering import find_cover
from tests.abstraction.forgetting import forget
from tests.abstraction.group import make_group
from tests.abstraction.histories import COMMANDS, Command, play

@given(COMMANDS)
def test_every_step_of_bytes_is_one_of_a_rule(commands: list[Command]) -> None:
    """From what is forgotten before to what is forgotten after."""
    for before, step in play(make_group(), commands):
        found, misses = find_cover(forget(before), step)
        assert found is not None, (step.name, misses)
