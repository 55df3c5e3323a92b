"""The broker that a client queries: for messages, for progress, and for what only a master knows.

Source: PullAPIWrapper and MQClientInstance of the 4.4.0 client. A consumer's reaction to an answer
is in `reference.decisions.clients.pulling`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve, frozen

from reference.decisions.hash_order import order_as_listed
from reference.language.operators import choose
from reference.roles import MASTER_ID

HASH_BUCKETS = 16
"""Buckets of a new java.util.HashMap."""

RETRY_MS = 3_000
"""A failed pull is sent again after this time."""

PULL_TIMEOUT_MS = 30_000
"""How long a consumer waits for the answer to a pull; a broker may hold it for half of that."""

NO_PROGRESS = -1
"""The progress in a pull of a consumer that has none in memory (#readOffset)."""


class ClientError(Exception):
    """The client has no address to pull from."""


@frozen
class Client:
    """A client's knowledge of the brokers of one name, and of one of their queues."""

    suggested_id: int | None = None
    """The queue's entry in ``pullFromWhichNodeTable``; None before the first answer."""
    forced_id: int | None = None
    """``defaultBrokerId`` with ``connectBrokerByUser``; None without it."""
    brokers: tuple[int, ...] = (MASTER_ID, 1)
    """Ids of the addresses in ``brokerAddrTable``, in the order in which they were added."""
    route: frozenset[int] | None = None
    """Ids in the last route taken over (``topicRouteTable``); None: there was none."""


@frozen
class PullTarget:
    """The broker of a pull."""

    broker_id: int
    decided_by: str
    """Name of the condition that chose it."""

    @property
    def is_slave(self) -> bool:
        """It is not a master; a pull to it carries no progress (R-CC-06)."""
        return self.broker_id != MASTER_ID


def get_wanted_id(client: Client) -> int:
    """The id that the client wants (R-CC-05, PullAPIWrapper#recalculatePullFromWhichNode)."""
    if client.forced_id is not None:
        return client.forced_id
    return MASTER_ID if client.suggested_id is None else client.suggested_id


def note_suggestion(client: Client, broker_id: int) -> Client:
    """The client after a decoded answer, and after no other (R-CC-05).

    Source: PullAPIWrapper#processPullResult, #updatePullFromWhichNode. A refusal or a missing
    answer leaves the table as it was, so the same broker is asked again (B3-02514, B3-03498).
    """
    return evolve(client, suggested_id=broker_id)


def order_as_hash_map(ids: Iterable[int]) -> tuple[int, ...]:
    """Ids as java.util.HashMap<Long, String> lists them: by bucket, in a bucket by insertion."""
    return tuple(map(int, order_as_listed(ids, HASH_BUCKETS)))


def is_wanted_there(client: Client) -> bool:
    """The wanted broker has an address."""
    return get_wanted_id(client) in client.brokers


def compute_target(wanted_id: int, is_wanted_there: bool, first_id: int) -> int:
    """The broker that is asked: the wanted one, or else the first address (numbers and terms).

    Source: MQClientInstance#findBrokerAddressInSubscribe (R-CC-01).
    """
    return choose(is_wanted_there, wanted_id, first_id)


def compute_first_id(is_master_there: bool) -> int:
    """The first reachable address of a name with a master and slave 1.

    For numbers and terms alike; `find_offset_store` covers any brokers.
    """
    return choose(is_master_there, MASTER_ID, 1)


def is_other_there(client: Client) -> bool:
    """It has none, but another broker of the name has: the first one is taken."""
    return bool(client.brokers)


def find_target(client: Client) -> PullTarget | None:
    """The broker of the next pull (R-CC-06, PullAPIWrapper#pullKernelImpl); None: no address."""
    first_id = find_offset_store(client)
    if first_id is None:
        return None
    is_there = is_wanted_there(client)
    broker_id = compute_target(get_wanted_id(client), is_there, first_id)
    return PullTarget(broker_id, (is_wanted_there if is_there else is_other_there).__name__)


def choose_target(client: Client) -> PullTarget:
    """The broker of the next pull of a client that has addresses.

    Raises:
        ClientError: no broker of the name has an address.
    """
    target = find_target(client)
    if target is None:
        raise ClientError("the route has no broker of this name")
    return target


def find_offset_store(client: Client) -> int | None:
    """The broker that stores and answers progress: the first address (R-CC-02, R-CC-13).

    None: no broker of the name has an address. Source: MQClientInstance#findBrokerAddressInAdmin.
    """
    return next(iter(order_as_hash_map(client.brokers)), None)


def choose_offset_store(client: Client) -> int:
    """The broker that stores and answers progress, for a client that has addresses.

    Raises:
        ClientError: no broker of the name has an address.
    """
    broker_id = find_offset_store(client)
    if broker_id is None:
        raise ClientError("the route has no broker of this name")
    return broker_id


def find_only(brokers: Collection[int], broker_id: int) -> int | None:
    """A broker if it has an address, without a substitute.

    Source: MQClientInstance#findBrokerAddressInSubscribe with ``onlyThisBroker``.
    """
    return broker_id if broker_id in brokers else None


def find_master(client: Client) -> int | None:
    """The broker that is asked for a queue's end, or for the first message of a time (R-CC-03).

    Source: MQClientInstance#findBrokerAddressInPublish.
    """
    return find_only(client.brokers, MASTER_ID)


def has_commit_flag(progress: int, target_id: int) -> bool:
    """A pull carries progress to store: to a master, above 0 (R-CC-06, R-CC-07)."""
    return (progress > 0) & (target_id == MASTER_ID)


def compute_commit_flag(memory_offset: int | None, target: PullTarget) -> int | None:
    """The progress in a pull that a broker may store; None without the flag.

    ``memory_offset`` is the consumer's progress in memory, None if it has none.
    """
    progress = NO_PROGRESS if memory_offset is None else memory_offset
    return progress if has_commit_flag(progress, target.broker_id) else None
