"""The drawing of schedules."""

from __future__ import annotations

from reference.language.drawing import draw_timeline
from reference.language.machine import Action, compute_machine
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.state import CommitLog
from reference.worlds.replication.structure import draw_log
from tests.structures import SYNCHRONOUS_PAIR, TWO_OF_EACH


def test_every_rule_has_a_phrase() -> None:
    """No step of any schedule is undrawable."""
    added = [rule for variant in VARIANTS.values() for rule in variant.rules.values()]
    assert [] == [rule.name for rule in (*RULES.values(), *added) if not rule.says]


def test_short_logs_are_drawn_byte_by_byte() -> None:
    """A byte is the letter of the life that wrote it."""
    assert draw_log(CommitLog(ends=(2, 3, 3))) == "[aab]"


def test_long_logs_are_drawn_as_lengths() -> None:
    """What does not fit is told in numbers."""
    assert draw_log(CommitLog(ends=(512, 612, 612))) == "[a512 b100]"


def test_a_violation_is_named_once_where_it_begins() -> None:
    """The mark stands below the step that violates the guarantee."""
    machine = compute_machine(SYNCHRONOUS_PAIR)
    before = SYNCHRONOUS_PAIR.make_initial(TWO_OF_EACH)
    action = Action("append_other_message", {"size_bytes": 2})
    after = machine.step(before, action).cluster
    drawn = draw_timeline([(None, before, ()), (action, after, ("x",)), (action, after, ("x",))])
    lines = drawn.splitlines()
    assert "another put, 2 B" in lines[2]
    assert "[aa]" in lines[2]
    assert lines[3].strip() == "✗ x"
    assert drawn.count("✗") == 1
