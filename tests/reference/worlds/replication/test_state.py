"""The state: its codes have the names of their constants."""

from __future__ import annotations

import pytest

from reference.worlds.replication import state
from reference.worlds.replication.structure import Structure


@pytest.mark.parametrize(
    ("names", "last"),
    [(state.PHASE_NAMES, state.UNANSWERED), (state.STATUS_NAMES, state.UNKNOWN_ERROR)],
    ids=["phases", "statuses"],
)
def test_codes_have_their_names(names: tuple[str, ...], last: int) -> None:
    """A code's name is that of the constant with its value; none is left out."""
    assert list(range(last + 1)) == [getattr(state, name) for name in names]


def test_a_status_is_put_ok_until_it_is_spoilt() -> None:
    """A message that was not sent has it already."""
    (message,) = Structure().template.messages
    assert (state.NOT_SENT, state.PUT_OK) == (message.phase, message.status)
