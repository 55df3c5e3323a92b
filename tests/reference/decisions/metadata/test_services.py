"""What brokers do by their roles."""

from __future__ import annotations

import pytest

from reference.decisions.metadata.services import (
    Ports,
    StartError,
    compute_broker_id,
    compute_ports,
    list_services,
)
from reference.worlds.replication.roles import Role


@pytest.mark.parametrize("role", [Role.ASYNC_MASTER, Role.SYNC_MASTER])
def test_a_master_has_id_0(role: Role) -> None:
    """Whatever is configured (R-BR-01)."""
    assert [compute_broker_id(role, configured) for configured in (-1, 0, 3)] == [0, 0, 0]


def test_a_slave_needs_an_id() -> None:
    """Above 0."""
    assert compute_broker_id(Role.SLAVE, 2) == 2
    for configured in (0, -1):
        with pytest.raises(StartError, match="above 0"):
            compute_broker_id(Role.SLAVE, configured)


def test_ports_follow_from_one() -> None:
    """VIP two below, HA one above."""
    assert compute_ports() == Ports(10911, 10909, 10912)


def test_a_slave_delivers_nothing_by_itself() -> None:
    """It copies tables, and cleans files (R-BR-03)."""
    slave, master = list_services(Role.SLAVE), list_services(Role.SYNC_MASTER)
    assert slave.has_copying
    assert slave.has_file_cleaning
    assert not slave.has_delayed_delivery
    assert not slave.has_transaction_check
    assert not slave.is_transaction_ended
    assert master.has_delayed_delivery
    assert not master.has_copying
