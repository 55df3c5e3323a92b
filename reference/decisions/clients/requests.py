"""A consumer's requests to brokers and the name server, and the answers.

Source: MQClientAPIImpl of the 4.4.0 client, whose methods are named with each request.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.progress.client_offsets import OffsetReply
from reference.decisions.reading.client import PULL_TIMEOUT_MS
from reference.decisions.reading.pull import SUSPEND_TIMEOUT_MS

VIP_PORTS_BELOW = 2
"""Distance of a broker's second port below its first (MixAll#brokerVIPChannel)."""


@frozen
class RouteRequest:
    """GET_ROUTEINTO_BY_TOPIC, to the name server (#getTopicRouteInfoFromNameServer)."""


@frozen
class StoredOffsetRequest:
    """QUERY_CONSUMER_OFFSET: the group's progress (#queryConsumerOffset)."""

    broker_id: int


@frozen
class MaxOffsetRequest:
    """GET_MAX_OFFSET: where the queue ends (#getMaxOffset)."""

    broker_id: int


@frozen
class TimeOffsetRequest:
    """SEARCH_OFFSET_BY_TIMESTAMP: the first message from a time on (#searchOffset)."""

    broker_id: int


@frozen
class CommitRequest:
    """UPDATE_CONSUMER_OFFSET, for which no answer is awaited (#updateConsumerOffsetOneway)."""

    broker_id: int
    queue: int
    offset: int


@frozen
class PullRequest:
    """PULL_MESSAGE (#pullMessage)."""

    broker_id: int
    queue_offset: int
    memory_offset: int
    """``commitOffset``: always present, -1 without progress; it counts only with the flag."""
    has_commit_flag: bool
    has_subscription_flag: bool
    messages_max: int
    has_suspend_flag: bool = True
    suspend_timeout_ms: int = SUSPEND_TIMEOUT_MS
    timeout_ms: int = PULL_TIMEOUT_MS


Request: TypeAlias = (
    RouteRequest
    | StoredOffsetRequest
    | MaxOffsetRequest
    | TimeOffsetRequest
    | CommitRequest
    | PullRequest
)


def is_sent_to_vip_port(request: Request) -> bool:
    """It goes to the broker's second port, where pulls and sends do not delay it.

    This needs ``vipChannelEnabled``, the default; pulls go to the port of the route.
    """
    return not isinstance(request, RouteRequest | PullRequest)


def compute_port(request: Request, listen_port: int) -> int:
    """The broker's port that a request is sent to."""
    return listen_port - VIP_PORTS_BELOW if is_sent_to_vip_port(request) else listen_port


@frozen
class PullReply:
    """A broker's answer to a pull as it arrives: a code, and the fields of its header."""

    code: int
    next_begin_offset: int | None = None
    min_offset: int | None = None
    max_offset: int | None = None
    suggested_broker_id: int | None = None
    """``suggestWhichBrokerId``."""
    messages: tuple[CachedMessage, ...] = ()


@frozen
class Network:
    """The answers to a consumer's requests. None: not sent, or no answer in time."""

    route: tuple[int, ...] | None = None
    """Ids of the brokers of the name that the name server lists."""
    stored_offset: OffsetReply | None = None
    max_offset: OffsetReply | None = None
    time_offset: OffsetReply | None = None
    pull: PullReply | None = None


SILENCE = Network()
"""No answer to any request."""
