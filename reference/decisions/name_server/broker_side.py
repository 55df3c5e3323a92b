"""A broker at the name server: what it sends, and what it takes from the answer.

Source: BrokerController#registerBrokerAll, #doRegisterBrokerAll and #start of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from reference.decisions.name_server.registry import PERM_WRITE, Answer, QueueData
from reference.decisions.reading.settings import PERM_READ

PERIOD_LEAST_MS, PERIOD_MOST_MS = 10_000, 60_000
FIRST_MS = 10_000
"""From the end of the start to the first periodic registration; one comes before that."""
HA_ADDRESS_CHARACTERS_MIN = 6
"""A shorter ``haMasterAddress`` counts as none (R-NS-04)."""


def compute_period_ms(configured_ms: int = 30_000) -> int:
    """Time between registrations: ``registerNameServerPeriod`` within its limits (R-NS-01)."""
    return max(PERIOD_LEAST_MS, min(configured_ms, PERIOD_MOST_MS))


@frozen
class Addresses:
    """What a broker knows of its master."""

    master: str | None = None
    """Whom it copies tables from (``SlaveSynchronize.masterAddr``)."""
    ha_master: str | None = None
    """Whom it copies the log from."""
    is_ha_learnt: bool = True
    """``updateMasterHAServerAddrPeriodically``."""


def configure(ha_master_address: str | None) -> Addresses:
    """A slave's addresses before its first registration (R-NS-04)."""
    is_configured = len(ha_master_address or "") >= HA_ADDRESS_CHARACTERS_MIN
    known = ha_master_address if is_configured else None
    return Addresses(ha_master=known, is_ha_learnt=not is_configured)


def is_ha_address_taken(addresses: Addresses, answer: Answer) -> bool:
    """None is configured, and the answer has one; an old one is never forgotten (R-NS-08)."""
    return addresses.is_ha_learnt and answer.ha_address is not None


def learn(
    addresses: Addresses, answers: Sequence[Answer], *, is_one_way: bool = False
) -> Addresses:
    """What a broker knows after a registration (R-NS-03): only the first answer counts.

    The master's address is taken even if there is none. A registration without an answer changes
    nothing.
    """
    if is_one_way or not answers:
        return addresses
    first = answers[0]
    ha_master = first.ha_address if is_ha_address_taken(addresses, first) else addresses.ha_master
    return evolve(addresses, master=first.master_address, ha_master=ha_master)


def is_permission_rewritten(broker_permission: int) -> bool:
    """The broker is not readable *or* not writable; a seed's comment says "and"."""
    is_readable = bool(broker_permission & PERM_READ)
    is_writable = bool(broker_permission & PERM_WRITE)
    return not is_readable or not is_writable


def rewrite_permissions(
    topics: Mapping[str, QueueData], broker_permission: int
) -> Mapping[str, QueueData]:
    """The topics as they are registered: with ``brokerPermission`` instead of their own."""
    if not is_permission_rewritten(broker_permission):
        return topics
    return {name: evolve(data, permission=broker_permission) for name, data in topics.items()}
