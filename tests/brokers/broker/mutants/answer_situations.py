"""Requests of consumers to a master, with their answers."""

from __future__ import annotations

from typing import Any

from brokers.wire.codes import RequestCode
from brokers.wire.request_fields import make_pull
from tests.brokers.broker.mutants.bench import Bench
from tests.brokers.broker.mutants.master_situations import start_full, start_without_first_file
from tests.brokers.broker.simulated.lone import Lone

QUEUE = {"topic": "T", "queueId": 0}
PROGRESS = {**QUEUE, "consumerGroup": "G"}


def start_read(bench: Bench, **told: Any) -> Lone:
    """A master with three messages that are dispatched."""
    lone = start_full(bench, 3, **told)
    lone.wait(30.0)
    return lone


def suggestion(bench: Bench, **told: Any) -> Any:
    """The broker that a pull of the first message suggests."""
    lone = start_read(bench, **told)
    return lone.pull(lone.connect(), "T", 0, 0).fields["suggestWhichBrokerId"]


def pull_at(bench: Bench, offset: int) -> Any:
    """Code and next offset of a pull."""
    lone = start_read(bench)
    answer = lone.pull(lone.connect(), "T", 0, offset)
    return answer.code, answer.fields["nextBeginOffset"]


def held_pull(bench: Bench) -> Any:
    """Answers to a pull at the end that may be held, within two seconds."""
    lone = start_read(bench)
    client = lone.connect()
    fields = make_pull("T", 0, 3, sysFlag=6, suspendTimeoutMillis=15_000)
    lone.tell(client, RequestCode.PULL_MESSAGE, fields)
    lone.wait(2000.0)
    return [command.code for command in client.received_commands]


def ends_of_a_queue(bench: Bench) -> Any:
    """Least and greatest offset of a queue whose first messages are deleted."""
    lone = start_without_first_file(bench)
    client = lone.connect()
    least = lone.ask(client, RequestCode.GET_MIN_OFFSET, QUEUE).fields["offset"]
    greatest = lone.ask(client, RequestCode.GET_MAX_OFFSET, QUEUE).fields["offset"]
    return int(least), int(greatest)


def unknown_progress(bench: Bench, *, is_young: bool) -> Any:
    """The answer to a query of progress that nobody has committed."""
    lone = start_read(bench) if is_young else start_without_first_file(bench)
    answer = lone.ask(lone.connect(), RequestCode.QUERY_CONSUMER_OFFSET, PROGRESS)
    return answer.code, answer.fields.get("offset")


def lower_commit(bench: Bench) -> Any:
    """Progress after a commit and a lower one."""
    lone = start_read(bench)
    client = lone.connect()
    for offset in (3, 1):
        fields = {**PROGRESS, "commitOffset": offset}
        lone.ask(client, RequestCode.UPDATE_CONSUMER_OFFSET, fields)
    return lone.ask(client, RequestCode.QUERY_CONSUMER_OFFSET, PROGRESS).fields["offset"]
