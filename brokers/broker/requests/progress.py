"""Progress of consumers, and the ends of queues."""

from __future__ import annotations

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.pulling import find_queue
from brokers.broker.requests.request import Request
from brokers.wire.codes import RequestCode
from reference.decisions.progress import offset_table
from reference.decisions.progress.offset_table import (
    QueryConsumerOffsetRequest,
    answer_query,
    name_key,
)
from reference.store import consume_queue as stored_queues
from reference.store.store import find_consume_queue
from reference.store.time_search import get_offset_in_queue_by_time


@handles(RequestCode.UPDATE_CONSUMER_OFFSET, by=(offset_table.commit,))
def update_consumer_offset(ports: BrokerPorts, request: Request) -> None:
    """``ConsumerManageProcessor#updateConsumerOffset``."""
    key = name_key(request.text("topic"), request.text("consumerGroup"))
    ports.tables.commit(key, request.number("queueId"), request.number("commitOffset"))
    request.answer()


@handles(RequestCode.QUERY_CONSUMER_OFFSET, by=(answer_query,))
def query_consumer_offset(ports: BrokerPorts, request: Request) -> None:
    """``ConsumerManageProcessor#queryConsumerOffset``."""
    queue = find_queue(ports, request)
    first = stored_queues.get_index_buffer(queue, 0)
    answer = answer_query(
        QueryConsumerOffsetRequest(
            ports.tables.tables.offsets,
            name_key(request.text("topic"), request.text("consumerGroup")),
            request.number("queueId"),
            queue_min_offset=queue.min_offset_in_queue,
            first_physical_offset=first[0].offset_bytes if first else None,
            log_max_offset=ports.store.max_offset,
            memory_bytes=ports.reading[0].memory_bytes,
        )
    )
    remark = (
        None
        if answer.offset is not None
        else "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first"
    )
    request.answer(answer.code, remark, {"offset": answer.offset})


@handles(
    RequestCode.GET_MAX_OFFSET,
    RequestCode.GET_MIN_OFFSET,
    by=(find_consume_queue,),
)
def get_end(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getMaxOffset`` and ``#getMinOffset``."""
    queue = find_queue(ports, request)
    is_max = request.command.code == RequestCode.GET_MAX_OFFSET
    offset = queue.max_offset_in_queue if is_max else queue.min_offset_in_queue
    request.answer(fields={"offset": offset})


@handles(RequestCode.SEARCH_OFFSET_BY_TIMESTAMP, by=(get_offset_in_queue_by_time,))
def search_offset(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#searchOffsetByTimestamp``."""
    queue = find_queue(ports, request)
    offset = get_offset_in_queue_by_time(ports.store.store, queue, request.number("timestamp"))
    request.answer(fields={"offset": offset})
