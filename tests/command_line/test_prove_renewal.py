"""What ``rmqspec prove`` does after a renewal."""

from __future__ import annotations

from typing import Any

import pytest

from command_line import prove
from properties.worlds.replication.structures import STOCK_PAIR
from properties.z3.vacuity import WitnessAnswer


def test_what_the_first_state_reaches_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule without steps is a witness; after a renewal it is no missing one."""
    question = "premise of flush_reaches_the_end"
    found = (WitnessAnswer(question, ()),)
    renewal: Any = object()
    monkeypatch.setattr(prove, "find_unwitnessed", lambda structure: [question])
    monkeypatch.setattr(prove, "load_known_schedules", lambda folder: ())
    monkeypatch.setattr(prove, "renew_witnesses", lambda *_, **__: found)
    assert found == prove.check_witnesses(STOCK_PAIR, lambda text: None, renewal)
