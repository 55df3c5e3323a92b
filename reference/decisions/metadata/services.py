"""The services of brokers by role, and their ports (R-BR-01, R-BR-03).

Source: BrokerStartup, BrokerController#start, DefaultMessageStore#start and
EndTransactionProcessor of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen

from reference.roles import Role

LISTEN_PORT = 10911
VIP_PORT_STEP = -2
HA_PORT_STEP = 1


@frozen
class Ports:
    """The ports of a broker."""

    listen: int
    vip: int
    ha: int


def compute_ports(listen: int = LISTEN_PORT) -> Ports:
    """The ports that follow from ``listenPort``; a configured ``haListenPort`` has no effect."""
    return Ports(listen, listen + VIP_PORT_STEP, listen + HA_PORT_STEP)


@frozen
class Services:
    """Which services a broker runs."""

    has_delayed_delivery: bool
    has_transaction_check: bool
    has_copying: bool
    """It copies its master's tables."""
    is_transaction_ended: bool
    """It processes END_TRANSACTION; otherwise it answers SLAVE_NOT_AVAILABLE."""
    has_file_cleaning: bool = True
    """By its own clock, whatever the role."""


def list_services(role: Role) -> Services:
    """The services of a role (R-BR-03)."""
    is_master = role is not Role.SLAVE
    return Services(
        has_delayed_delivery=is_master,
        has_transaction_check=is_master,
        has_copying=not is_master,
        is_transaction_ended=is_master,
    )
