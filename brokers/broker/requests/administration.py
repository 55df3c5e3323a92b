"""Topics, groups, whole tables, and what a broker tells of itself."""

from __future__ import annotations

import json

from brokers.broker.replication.puts import WAITING_MAX
from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import SYSTEM_ERROR, FieldError, Request, write
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import VERSION
from reference.configuration.broker_group import BrokerConfiguration
from reference.decisions.delay.levels import compute_queue_id
from reference.decisions.metadata import stored_broker
from reference.decisions.metadata.copying import REQUEST_CODES, is_content_empty
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.reading.subscription_group import GroupError, build_group
from reference.decisions.sending.send_processor import AUTO_CREATE_TOPIC
from reference.store.records import SCHEDULE_TOPIC
from reference.store.store import compute_dispatch_behind, find_consume_queue

STEP_OF_CODE = {code: step for step, code in REQUEST_CODES.items()}


@handles(
    RequestCode.GET_ALL_TOPIC_CONFIG,
    RequestCode.GET_ALL_CONSUMER_OFFSET,
    RequestCode.GET_ALL_DELAY_OFFSET,
    RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
    by=(stored_broker.answer_copy, is_content_empty),
)
def get_all(ports: BrokerPorts, request: Request) -> None:
    """A whole table, for a slave's copy (``AdminBrokerProcessor``)."""
    text = stored_broker.answer_copy(ports.tables.broker, STEP_OF_CODE[request.command.code])
    if is_content_empty(text):
        request.answer(SYSTEM_ERROR, "there is no such table in this broker")
    else:
        request.answer(body=text.encode())


@handles(RequestCode.UPDATE_AND_CREATE_TOPIC, by=(stored_broker.put_entry,))
def update_topic(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#updateAndCreateTopic``."""
    name = request.text("topic")
    configuration = ports.settings.configuration
    if name in (configuration.cluster, AUTO_CREATE_TOPIC):
        remark = f"the topic[{name}] is conflict with system reserved words."
        request.answer(SYSTEM_ERROR, remark)
        return
    topic = TopicConfig(
        name=name,
        read_queues=request.number("readQueueNums"),
        write_queues=request.number("writeQueueNums"),
        permission=request.number("perm"),
        filter_type=request.command.fields.get("topicFilterType", "SINGLE_TAG"),
        sys_flag=request.number("topicSysFlag", 0),
    )
    ports.tables.change_topic(topic)
    request.answer()


@handles(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, by=(build_group, stored_broker.put_entry))
def update_group(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#updateAndCreateSubscriptionGroup``. Raises FieldError."""
    try:
        options = dict(json.loads(request.command.body))
        name = str(options.pop("groupName"))
        group = build_group(options)
    except (ValueError, TypeError, KeyError, RecursionError, GroupError) as problem:
        raise FieldError(f"the body is no subscription group: {str(problem)[:80]}") from problem
    ports.tables.put_group(name, group)
    request.answer()


@handles(RequestCode.DELETE_SUBSCRIPTIONGROUP, by=(stored_broker.delete_entry,))
def delete_group(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#deleteSubscriptionGroup``; its progress stays."""
    ports.tables.delete_group(request.text("groupName"))
    request.answer()


@handles(RequestCode.GET_BROKER_RUNTIME_INFO, by=(compute_dispatch_behind,))
def get_runtime_info(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getBrokerRuntimeInfo``, as far as this broker has it."""
    table = {name: str(value) for name, value in describe(ports).items()}
    request.answer(body=json.dumps({"table": table}).encode())


def describe(ports: BrokerPorts) -> dict[str, object]:
    """The figures of a broker by RocketMQ's names."""
    store = ports.store
    ratio = store.files.compute_disk_ratio()
    return {
        "brokerVersionDesc": f"V{ports.settings.version.release.replace('.', '_')}",
        "brokerVersion": VERSION,
        "brokerRole": ports.settings.role.name,
        "commitLogMinOffset": store.min_offset,
        "commitLogMaxOffset": store.max_offset,
        "commitLogDiskRatio": ratio,
        "consumeQueueDiskRatio": ratio,
        "dispatchBehindBytes": compute_dispatch_behind(store.store),
        "remainHowManyDataToFlush": write_bytes(store.max_offset - store.flushed_offset),
        "putMessageTimesTotal": ports.puts_total,
        "bootTimestamp": ports.store.started_ms,
        "pageCacheLockTimeMills": 0,
        "sendThreadPoolQueueSize": len(ports.puts.waiting),
        "sendThreadPoolQueueCapacity": WAITING_MAX,
        **describe_delays(ports),
    }


def describe_delays(ports: BrokerPorts) -> dict[str, str]:
    """Progress and end of each level that was delivered (``buildRunningStats``)."""
    told = {}
    for level, offset in ports.tables.tables.delay_offsets.items():
        queue = compute_queue_id(int(level))
        end = find_consume_queue(ports.store.store, SCHEDULE_TOPIC, queue).max_offset_in_queue
        told[f"scheduleMessageOffset_{level}"] = f"{offset},{end}"
    return told


def write_bytes(count: int) -> str:
    """A number of bytes for people (``MixAll#humanReadableByteCount``)."""
    power = 0
    while count >= 1024 ** (power + 1):
        power += 1
    if not power:
        return f"{count} B"
    return f"{count / 1024**power:.1f} {'KMGTPE'[power - 1]}iB"


@handles(RequestCode.GET_BROKER_CONFIG, by=(BrokerConfiguration.list_values_in_force,))
def get_config(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getBrokerConfig``: all settings, as lines of properties."""
    configuration = ports.settings.configuration
    values = configuration.list_values_in_force() | dict(configuration.values)
    text = "".join(f"{key}={write(value)}\n" for key, value in sorted(values.items()))
    request.answer(body=text.encode())
