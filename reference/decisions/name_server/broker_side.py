"""A broker at the name server: what it sends, and what it takes from the answer.

From the answer to its registration a broker takes which topics are in order, as the name server's
administrator has set it in the namespace ``ORDER_TOPIC_CONFIG``. A slave also takes the source of
its log: the address that it knows, and the one that it is connected to.

Source: BrokerController#registerBrokerAll, #needRegister, #doRegisterBrokerAll and #start,
BrokerOuterAPI#needRegister, TopicConfigManager#updateOrderTopicConfig,
HAService.HAClient#updateMasterAddress, #connectMaster and #closeMaster of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence

from attrs import evolve, frozen

from reference.decisions.metadata.broker_tables import DataVersion, VersionedTable
from reference.decisions.name_server.registry import (
    PERM_WRITE,
    QueueData,
    RegisterBrokerResult,
    VersionAnswer,
)
from reference.decisions.reading.decision import Case, choose_first
from reference.decisions.reading.settings import PERM_READ

PERIOD_LEAST_MS, PERIOD_MOST_MS = 10_000, 60_000
FIRST_MS = 10_000
"""From the end of the start to the first periodic registration; another one precedes it."""
HA_ADDRESS_CHARACTERS_MIN = 6
"""A shorter ``haMasterAddress`` counts as none (R-NS-04)."""


def compute_period_ms(configured_ms: int = 30_000) -> int:
    """Time between registrations: ``registerNameServerPeriod`` within its limits (R-NS-01)."""
    return max(PERIOD_LEAST_MS, min(configured_ms, PERIOD_MOST_MS))


class NoAnswer(enum.Enum):
    """How a name server may fail to answer which version of a broker's topics it has."""

    FAILED = "the request threw"
    REFUSED = "a code other than SUCCESS"
    LATE = "neither an answer nor a failure within registerBrokerTimeoutMills"


@frozen
class VersionQuery:
    """One name server's answer to QUERY_DATA_VERSION, and the broker's version."""

    own: DataVersion
    answer: VersionAnswer | NoAnswer


def is_query_failed(query: VersionQuery) -> bool:
    """It is unknown what the name server has."""
    return query.answer is NoAnswer.FAILED


def is_query_ignored(query: VersionQuery) -> bool:
    """A refusal counts as an equal version, and so does a late answer."""
    return query.answer in (NoAnswer.REFUSED, NoAnswer.LATE)


def is_told_changed(query: VersionQuery) -> bool:
    """The name server has another version, or does not know the broker as live."""
    return isinstance(query.answer, VersionAnswer) and query.answer.is_changed


def has_other_version(query: VersionQuery) -> bool:
    """It reports no change, but sends a version that is not the broker's."""
    version = query.answer.version if isinstance(query.answer, VersionAnswer) else None
    return version is not None and version != query.own


def is_known_equal(_query: VersionQuery) -> bool:
    """The name server has this version."""
    return True


NEEDS: tuple[Case[VersionQuery, bool], ...] = (
    (is_query_failed, lambda _: True),
    (is_query_ignored, lambda _: False),
    (is_told_changed, lambda _: True),
    (has_other_version, lambda _: True),
    (is_known_equal, lambda _: False),
)
"""Whether one name server makes a registration needed (BrokerOuterAPI#needRegister)."""


def is_registration_needed(queries: Sequence[VersionQuery]) -> bool:
    """One name server suffices to make it needed, none does not (BrokerController#needRegister)."""
    decided = (choose_first(NEEDS, query) for query in queries)
    return any(each is not None and each.value for each in decided)


def is_registration_sent(queries: Sequence[VersionQuery], *, is_forced: bool = True) -> bool:
    """A registration is not skipped (BrokerController#registerBrokerAll).

    Only periodic ones depend on ``forceRegister``, which defaults to true; that of the start and
    those after a change of topics are always sent. A broker that skips one gets no answer to it, so
    a slave that had no master at its start does not learn of a later one.
    """
    return is_forced or is_registration_needed(queries)


@frozen
class Addresses:
    """A broker's knowledge of its master."""

    master: str | None = None
    """Address from which it copies tables (``SlaveSynchronize.masterAddr``)."""
    ha_master: str | None = None
    """Address from which it copies the log."""
    is_ha_learnt: bool = True
    """``updateMasterHAServerAddrPeriodically``."""


def configure(ha_master_address: str | None) -> Addresses:
    """A slave's addresses before its first registration (R-NS-04)."""
    is_configured = len(ha_master_address or "") >= HA_ADDRESS_CHARACTERS_MIN
    known = ha_master_address if is_configured else None
    return Addresses(ha_master=known, is_ha_learnt=not is_configured)


def is_ha_address_taken(addresses: Addresses, answer: RegisterBrokerResult) -> bool:
    """None is configured, and the answer has one; an old one is never forgotten (R-NS-08)."""
    return addresses.is_ha_learnt and answer.ha_address is not None


def learn(
    addresses: Addresses, answers: Sequence[RegisterBrokerResult], *, is_one_way: bool = False
) -> Addresses:
    """A broker's knowledge after a registration (R-NS-03): only the first answer counts.

    It takes over the master's address even if there is none. A registration without an answer
    changes nothing.
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
    """The topics as they are registered: with ``brokerPermission`` instead of their own.

    They are created anew for that, without the bits of units.
    """
    if not is_permission_rewritten(broker_permission):
        return topics
    return {
        name: QueueData(data.read_queues, data.write_queues, broker_permission)
        for name, data in topics.items()
    }


@frozen
class TopicOrder:
    """The relevant part of a topic's configuration."""

    is_order: bool = False
    """``TopicConfig.order``."""


def take_order(
    topics: VersionedTable[TopicOrder],
    answered: Collection[str] | None,
    now_ms: float,
    *,
    is_one_way: bool = False,
) -> VersionedTable[TopicOrder]:
    """A broker's topics after a registration whose answer names these topics.

    None: the answer had no table. A one-way registration has no answer (R-NS-03).

    Named topics get the flag and all others lose it, whoever set it. If that changes any, the table
    gets a new version, on a slave too. The next copy then replaces the slave's whole table
    (R-MS-09), although both brokers took over the same answer.
    """
    if answered is None or is_one_way:
        return topics
    entries = {n: evolve(t, is_order=n in answered) for n, t in topics.entries.items()}
    if entries == topics.entries:
        return topics
    return VersionedTable(topics.version.compute_next(now_ms), entries)


@frozen
class HaClient:
    """A slave's side of replication, as far as addresses are concerned."""

    address: str | None = None
    """``masterAddress``: where it will connect to."""
    connected_to: str | None = None
    """The other end of its socket; None without one."""


def update_address(client: HaClient, address: str) -> HaClient:
    """Another address is known; the connection is not dropped, nor the thread woken (R-HC-03)."""
    return evolve(client, address=address)


def connect(client: HaClient) -> HaClient:
    """A connect, which only happens without a socket, and needs an address (R-HC-02)."""
    return client if client.connected_to else evolve(client, connected_to=client.address)


def close(client: HaClient) -> HaClient:
    """The connection is closed, for whatever reason; the address stays (R-HC-12)."""
    return evolve(client, connected_to=None)


def is_connection_stale(client: HaClient) -> bool:
    """The slave still copies from a broker to which it would no longer connect."""
    return client.connected_to not in (None, client.address)
