"""Every step that the store makes of its bytes is one that a rule allows, or a gap that is told."""

from __future__ import annotations

import random

from hypothesis import given

from tests.abstraction.covering import find_cover
from tests.abstraction.forgetting import forget, keep_told
from tests.abstraction.gaps import find_gap
from tests.abstraction.group import make_group
from tests.abstraction.histories import COMMANDS, NAMES, Command, play


@given(COMMANDS)
def test_every_step_of_bytes_is_one_of_a_rule(commands: list[Command]) -> None:
    """From what is forgotten before it to what is forgotten after it."""
    for before, step in play(make_group(), commands):
        is_gap = find_gap(before, step) is not None
        found, misses = find_cover(forget(before), step, is_thorough=not is_gap)
        if found is None and not is_gap:
            raise AssertionError(f"no rule is the step {step.name}: {'; '.join(misses)}")


LOG_RULES = {
    *("append_message", "append_other_message", "fill_file", "create_master_file"),
    *("append_to_slave", "append_at_wrong_offset", "create_slave_file", "refuse_frame"),
    *("discard_frame", "fail_file_creation"),
    *("dispatch_master", "dispatch_slave", "flush_master", "flush_slave"),
    *("expire_master_file", "expire_uncopied_master_file", "delete_young_master_file"),
    "expire_slave_file",
    *("kill_master", "kill_slave", "lose_master_power", "lose_slave_power"),
    *("lose_master_power_in_record", "lose_master_disk", "wipe_slave"),
    *("begin_master_stop", "begin_slave_stop", "finish_master_stop", "finish_slave_stop"),
    *("restart_master", "restart_master_with_stale_bytes"),
    *("restart_slave", "restart_slave_beyond_received"),
}
"""Rules that move bytes of a log, or end or start a broker, and are met by chance.

The rare ones have histories of their own among the extremes.
"""


def make_histories(count: int) -> list[list[Command]]:
    """The same histories every time."""
    drawn = random.Random(5)
    return [
        [
            (drawn.choice(NAMES), drawn.choice((512, drawn.randrange(600))), drawn.getrandbits(61))
            for _ in range(drawn.randrange(10, 60))
        ]
        for _ in range(count)
    ]


def test_histories_meet_the_rules_of_logs() -> None:
    """Each rule is some step of bytes, and from its own state the next step is one of a rule too.

    So what is forgotten may be forgotten once: the state that the rules lead to is carried on.
    """
    met: set[str] = set()
    for commands in make_histories(200):
        carried = None
        for before, step in play(make_group(), commands):
            told = forget(before) if carried is None else keep_told(carried, forget(before))
            is_gap = find_gap(before, step) is not None
            found, misses = find_cover(told, step, is_thorough=not is_gap)
            assert found is not None or is_gap, misses
            carried = found.cluster if found else None
            met |= {action.rule_name for action in found.actions} if found else set()
    assert LOG_RULES - met == set()
