"""The store in bytes and the model walk side by side, and a mistake in the store is found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from reference.store import slave_append
from tests.abstraction.side_by_side import SideBySide

CHOSEN = settings(
    max_examples=40,
    stateful_step_count=40,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
USUAL = {
    *("append_other_message", "append_message", "append_to_slave", "fill_file"),
    *("dispatch_master", "dispatch_slave", "flush_master", "kill_slave", "restart_slave"),
    *("lose_master_power", "reads of the master", "reads of the slave"),
}
"""What these walks are to meet: one that only puts would find nothing."""


def test_bytes_and_model_go_side_by_side() -> None:
    """Every step of the bytes is one of the rules, and pulls show what is dispatched."""
    SideBySide.met.clear()
    run_state_machine_as_test(SideBySide, settings=CHOSEN)
    assert USUAL - set(SideBySide.met) == set()


def test_a_frame_stored_one_byte_short_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slave's log is then shorter than the model says."""
    real = slave_append.append_to_commit_log

    def store_less(store: Any, begin: int, frame: Any, *rest: Any) -> Any:
        short = type(frame)(frame.data[:-1], frame.origins and frame.origins[:-1])
        return real(store, begin, short if len(frame) > 1 else frame, *rest)

    monkeypatch.setattr(slave_append, "append_to_commit_log", store_less)
    with pytest.raises(AssertionError, match="no rule is the step append"):
        run_state_machine_as_test(SideBySide, settings=CHOSEN)
