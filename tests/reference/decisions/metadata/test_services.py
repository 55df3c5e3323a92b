"""What brokers do by their roles."""

from __future__ import annotations

from reference.decisions.metadata.services import Ports, compute_ports, list_services
from reference.roles import Role


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
