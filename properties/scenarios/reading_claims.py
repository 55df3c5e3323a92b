"""Where deployments send consumers: claims about reading, decided for every deployment.

A client pulls from a broker, whose answer suggests the next one. The store's result is left open,
so each pull may meet every possible result. There are finitely many, and the client remembers only
the last suggestion: checking every step from every broker decides a claim completely.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from attrs import frozen

from reference.decisions.clients.pulling import make_reply, react
from reference.decisions.clients.push_consumer import make_reader
from reference.decisions.reading.client import Client, choose_target
from reference.decisions.reading.get_message import GetMessageResult
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, ResponseCode, Topic
from reference.decisions.reading.pull_processor import answer_pull
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.roles import MASTER_ID, Role

SLAVE_ID = 1
"""The slave to which reads are to be sent."""

IDS = (0, 1, 2)
"""Broker ids that a group may name; 2 represents all others."""

ROUTES = ((0,), (1,), (0, 1), (0, 1, 2))
"""Brokers whose address a client may have: the master, the slave, both, and a third one."""


@frozen
class ReadingDeployment:
    """Everything that decides where pulls go, except the stores' results."""

    is_master_open: bool
    """``slaveReadEnable`` on the master."""
    is_slave_open: bool
    """``slaveReadEnable`` on the slaves."""
    broker_id: int
    """``brokerId`` of the group."""
    slow_broker_id: int
    """``whichBrokerWhenConsumeSlowly`` of the group."""
    is_offset_checked_in_slave: bool = False
    route: tuple[int, ...] = (0, 1)
    """Brokers whose address the client has."""
    is_reset_to_end: bool = False
    """A consumer beyond the end of a queue is redirected to its end, from 4.9.4 on (V-18)."""
    is_closed_slave_silent: bool = False
    """A slave without ``slaveReadEnable`` rejects pulls, from 5.0.0 on (V-41)."""

    def is_rejecting(self, broker: int) -> bool:
        """This broker rejects every pull."""
        return self.is_closed_slave_silent and broker != MASTER_ID and not self.is_slave_open


DEPLOYMENTS = tuple(
    ReadingDeployment(*each)
    for each in itertools.product((False, True), (False, True), IDS, IDS, (False, True), ROUTES)
)
"""Every deployment with these ids."""

DEFAULTS = ReadingDeployment(False, False, 0, 1)
"""Brokers and group with default settings."""


@frozen
class Circumstance:
    """A store's result for a pull, as far as it decides where the next pull goes."""

    status: GetMessageStatus
    is_slow: bool = False
    """The last message read is further back than memory."""
    offset: int = 1


SCANNED = (
    GetMessageStatus.FOUND,
    GetMessageStatus.NO_MATCHED_MESSAGE,
    GetMessageStatus.MESSAGE_WAS_REMOVING,
)
"""Statuses of reads that have read messages; only these can find the reader slow."""

CIRCUMSTANCES = (
    *(Circumstance(status) for status in GetMessageStatus),
    Circumstance(GetMessageStatus.NO_MESSAGE_IN_QUEUE, offset=0),
    *(Circumstance(status, is_slow=True) for status in SCANNED),
)
"""All store results."""


@frozen
class PullStep:
    """One pull: the broker, the store's result, and the next broker."""

    broker: int
    circumstance: Circumstance
    code: ResponseCode
    suggested: int
    next_broker: int
    messages: int

    def __str__(self) -> str:
        word = "slow" if self.circumstance.is_slow else self.circumstance.status.name
        return f"{self.broker} ({word}) suggests {self.suggested}"


def pull_from(deployment: ReadingDeployment, broker: int, circumstance: Circumstance) -> PullStep:
    """One pull at a broker, by the read decision. After a rejected one the next goes there too."""
    if deployment.is_rejecting(broker):
        return PullStep(broker, circumstance, ResponseCode.SYSTEM_BUSY, broker, broker, 0)
    is_master = broker == MASTER_ID
    is_open = deployment.is_master_open if is_master else deployment.is_slave_open
    is_found = circumstance.status is GetMessageStatus.FOUND
    result = GetMessageResult(
        circumstance.status,
        "",
        circumstance.offset,
        0,
        1,
        message_count=int(is_found),
        is_slave_suggested=circumstance.is_slow,
    )
    store = StoreSettings(
        Role.ASYNC_MASTER if is_master else Role.SLAVE,
        is_offset_checked_in_slave=deployment.is_offset_checked_in_slave,
    )
    group = SubscriptionGroup(deployment.broker_id, deployment.slow_broker_id)
    broker_settings = BrokerSettings(is_slave_read_enabled=is_open)
    pull = PullMessageRequest(circumstance.offset)
    answer = answer_pull(PullSituation(pull, store, broker_settings, group, Topic(), None, result))
    consumer = make_reader(Client(brokers=deployment.route), circumstance.offset)
    after = react(consumer, 0, make_reply(answer)).value
    assert answer.suggested_broker_id is not None
    target = choose_target(after.client).broker_id
    return PullStep(
        broker, circumstance, answer.code, answer.suggested_broker_id, target, int(is_found)
    )


@cache
def list_steps(deployment: ReadingDeployment, broker: int) -> tuple[PullStep, ...]:
    """Every pull at a broker."""
    return tuple(pull_from(deployment, broker, each) for each in CIRCUMSTANCES)


Run = tuple[PullStep, ...]
"""Pulls one after another, the first one at the broker that a new client asks."""


def find_run(deployment: ReadingDeployment, is_wrong: Callable[[Run], bool]) -> Run | None:
    """The shortest run that is wrong; None when there is none.

    A run is not continued from a broker that it has asked before: it would only repeat itself.
    """
    first = choose_target(Client(brokers=deployment.route)).broker_id
    runs: list[Run] = [()]
    while runs:
        longer = list(itertools.chain.from_iterable(_continue(deployment, r, first) for r in runs))
        for run in longer:
            if is_wrong(run):
                return run
        runs = [run for run in longer if run[-1].next_broker not in {step.broker for step in run}]
    return None


def _continue(deployment: ReadingDeployment, run: Run, first: int) -> Iterator[Run]:
    broker = run[-1].next_broker if run else first
    for step in list_steps(deployment, broker):
        yield (*run, step)


def leaves_slave(run: Run) -> bool:
    """A client that has asked the slave is sent elsewhere."""
    return run[-1].broker == SLAVE_ID != run[-1].next_broker


def stays_at_master(run: Run) -> bool:
    """A client is sent to another broker than the slave."""
    return run[-1].next_broker != SLAVE_ID


def keeps_slow_reader(run: Run) -> bool:
    """A master keeps a consumer that is too far behind for its memory."""
    return run[-1].broker == MASTER_ID == run[-1].next_broker and run[-1].circumstance.is_slow


def redirects(run: Run) -> bool:
    """A client is sent from one broker to another."""
    return run[-1].broker != run[-1].next_broker


def misses_suggestion(run: Run) -> bool:
    """The client asks another broker than the one that was suggested."""
    return run[-1].suggested != run[-1].next_broker


def serves_from_closed_slave(run: Run) -> bool:
    """A slave without ``slaveReadEnable`` hands out messages."""
    return run[-1].broker == SLAVE_ID and run[-1].code is ResponseCode.SUCCESS


@frozen
class Claim:
    """A claim about where pulls go, and the deployments that it is about."""

    sentence: str
    is_wrong: Callable[[Run], bool]
    is_meant: Callable[[ReadingDeployment], bool]
    """The deployments that it is about."""
    is_kept: Callable[[ReadingDeployment], bool]
    """Exactly those among them in which it is true."""


def has_both(deployment: ReadingDeployment) -> bool:
    """The client has the addresses of master and slave."""
    return {MASTER_ID, SLAVE_ID} <= set(deployment.route)


def is_alone(deployment: ReadingDeployment) -> bool:
    """The slave is the only broker whose address the client has."""
    return deployment.route == (SLAVE_ID,)


def is_pinned(deployment: ReadingDeployment) -> bool:
    """``brokerId`` and ``whichBrokerWhenConsumeSlowly`` both name the slave."""
    return deployment.broker_id == SLAVE_ID == deployment.slow_broker_id


def names_slave(deployment: ReadingDeployment) -> bool:
    """The master suggests the slave to some consumers."""
    named = {deployment.broker_id, deployment.slow_broker_id}
    return deployment.is_master_open and SLAVE_ID in named


def has_all_suggested(deployment: ReadingDeployment) -> bool:
    """Every broker that may be suggested has an address, or only a pinned slave is ever used."""
    suggested = {MASTER_ID}
    if deployment.is_master_open:
        suggested |= {deployment.broker_id, deployment.slow_broker_id}
    is_settled = is_alone(deployment) and deployment.is_slave_open and is_pinned(deployment)
    return is_settled or suggested <= set(deployment.route)


def is_open(deployment: ReadingDeployment) -> bool:
    """``slaveReadEnable`` on both sides."""
    return deployment.is_master_open and deployment.is_slave_open


READING_CLAIMS: Mapping[str, Claim] = {
    "reads_move_to_the_slave": Claim(
        sentence="After its first pull a consumer pulls from the slave alone, forever.",
        is_wrong=stays_at_master,
        is_meant=has_both,
        is_kept=lambda d: is_open(d) and is_pinned(d),
    ),
    "slow_readers_leave_the_master": Claim(
        sentence="A consumer too far behind for the master's memory pulls next from another "
        "broker.",
        is_wrong=keeps_slow_reader,
        is_meant=has_both,
        is_kept=lambda d: (
            d.is_master_open and d.slow_broker_id in d.route and d.slow_broker_id != MASTER_ID
        ),
    ),
    "readers_of_the_slave_stay": Claim(
        sentence="A consumer that the slave has answered pulls from the slave again.",
        is_wrong=leaves_slave,
        is_meant=has_both,
        is_kept=lambda d: not names_slave(d) or (d.is_slave_open and is_pinned(d)),
    ),
    "reads_stay_at_the_master": Claim(
        sentence="Every pull goes to the master.",
        is_wrong=redirects,
        is_meant=has_both,
        is_kept=lambda d: (
            not d.is_master_open
            or not {d.broker_id, d.slow_broker_id} & (set(d.route) - {MASTER_ID})
        ),
    ),
    "suggestions_are_followed": Claim(
        sentence="The next pull goes to the suggested broker.",
        is_wrong=misses_suggestion,
        is_meant=lambda d: True,
        is_kept=has_all_suggested,
    ),
    "a_closed_slave_hands_out_nothing": Claim(
        sentence="A slave without slaveReadEnable never hands out messages.",
        is_wrong=serves_from_closed_slave,
        is_meant=lambda d: is_alone(d) and not d.is_slave_open,
        is_kept=lambda d: d.is_closed_slave_silent,
    ),
}
"""Claims by name."""


def decide(name: str, deployment: ReadingDeployment) -> Run | None:
    """The shortest run that breaks a claim; None when the claim holds."""
    return find_run(deployment, READING_CLAIMS[name].is_wrong)
