"""Brokers that read for a pull otherwise; pulls of 5.x are not modelled."""

from __future__ import annotations

from attrs import evolve

from brokers.broker.mutants.mutant import BEFORE_5, SLAVE, mutant_of_request
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.pulling import SUSPEND_FLAG, pull_message
from brokers.broker.requests.request import Request
from brokers.wire.codes import RequestCode
from reference.decisions.progress.offset_table import name_key
from reference.decisions.reading.pull import ResponseCode

PULL, DECIDED = "PullMessageProcessor#processRequest", "reading.md#what-the-broker-answers"


@mutant_of_request(
    RequestCode.PULL_MESSAGE, DECIDED, "PullRequestHoldService#suspendPullRequest", spans=BEFORE_5
)
def holds_no_pull(ports: BrokerPorts, request: Request) -> None:
    """A pull at the end of a queue is answered at once, though it may be held."""
    flags = request.number("sysFlag") & ~SUSPEND_FLAG
    command = evolve(request.command, fields={**request.command.fields, "sysFlag": str(flags)})
    pull_message(ports, type(request)(command, request.asker))


@mutant_of_request(
    RequestCode.PULL_MESSAGE,
    DECIDED,
    "DefaultMessageStore#nextOffsetCorrection",
    role=SLAVE,
    spans=BEFORE_5,
)
def slave_moves_offsets(ports: BrokerPorts, request: Request) -> None:
    """A slave corrects the offsets of its readers, though offsetCheckInSlave is false."""
    store, processor = ports.reading
    ports.reading = evolve(store, is_offset_checked_in_slave=True), processor
    pull_message(ports, request)


@mutant_of_request(RequestCode.PULL_MESSAGE, DECIDED, PULL, role=SLAVE, spans=BEFORE_5)
def slave_is_closed_for_reads(ports: BrokerPorts, request: Request) -> None:
    """A slave without slaveReadEnable sends its readers away instead of answering them."""
    if ports.settings.is_slave and not ports.reading[1].is_slave_read_enabled:
        request.answer(ResponseCode.PULL_RETRY_IMMEDIATELY, "the slave is closed for reads")
    else:
        pull_message(ports, request)


@mutant_of_request(
    RequestCode.PULL_MESSAGE, "progress.md#commits", PULL, role=SLAVE, spans=BEFORE_5
)
def slave_takes_progress_of_pulls(ports: BrokerPorts, request: Request) -> None:
    """A slave stores the progress that a pull carries, as a master does."""
    if ports.settings.is_slave and request.number("sysFlag") & 1:
        key = name_key(request.text("topic"), request.text("consumerGroup"))
        ports.tables.commit(key, request.number("queueId"), request.number("commitOffset"))
    pull_message(ports, request)
