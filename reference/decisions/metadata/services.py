"""What brokers do by their roles: ids, ports, services (R-BR-01, R-BR-03).

Source: BrokerStartup, BrokerController#start, DefaultMessageStore#start and
EndTransactionProcessor of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen

from reference.worlds.replication.roles import Role

MASTER_ID = 0
LISTEN_PORT = 10911
VIP_PORT_STEP = -2
HA_PORT_STEP = 1


class StartError(Exception):
    """The broker ends with exit code -3."""


@frozen
class Ports:
    """Where a broker listens."""

    listen: int
    vip: int
    ha: int


def compute_broker_id(role: Role, configured: int) -> int:
    """The id that a broker takes (R-BR-01): a master's is 0 whatever is configured.

    Raises:
        StartError: a slave with an id of 0 or less.
    """
    if role is not Role.SLAVE:
        return MASTER_ID
    if configured <= MASTER_ID:
        raise StartError(f"a slave's brokerId must be above 0, but it is {configured}")
    return configured


def compute_ports(listen: int = LISTEN_PORT) -> Ports:
    """The ports that follow from ``listenPort``; a configured ``haListenPort`` has no say."""
    return Ports(listen, listen + VIP_PORT_STEP, listen + HA_PORT_STEP)


@frozen
class Services:
    """Which services a broker runs."""

    has_delayed_delivery: bool
    has_transaction_check: bool
    has_copying: bool
    """It copies its master's tables."""
    is_transaction_ended: bool
    """END_TRANSACTION is done; else it is answered with SLAVE_NOT_AVAILABLE."""
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
