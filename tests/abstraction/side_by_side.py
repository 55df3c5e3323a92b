"""Implementation and model side by side: a store in bytes, and the state that rules have led to.

Each rule of this machine does something to the bytes of a master or a slave. The model then takes
the rules that may be that step, from the state that it had; what it comes to has to be true of the
bytes. Pulls are answered from the bytes, and may show nothing that the model has not dispatched.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from attrs import evolve
from hypothesis import event, note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from brokers.broker.requests.pulling import describe_queue
from reference.decisions.reading.get_message import GetMessageResult, get_message
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, ResponseCode, Topic
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import DEFAULT_GROUP
from reference.roles import Role
from reference.store import consume_queue as queues
from reference.store import reading, records
from reference.store.mapped_file import SelectedBuffer
from reference.store.store import StoreConfig, find_consume_queue
from reference.worlds.replication.state import Cluster
from tests.abstraction.covering import Step, find_cover
from tests.abstraction.forgetting import forget, keep_told, list_misses
from tests.abstraction.gaps import find_gap
from tests.abstraction.group import FILE_SIZE, MASTER, SLAVE, Broker, Group, get_begin, start_empty
from tests.abstraction.histories import STEPS, TOLD, TOPICS

BROKERS = ("master", "slave")
SERVICES = [name for name in STEPS if name.startswith(("dispatch", "flush", "expire", "fill"))]
ENDS = ("kill", "stop", "power", "files", "disk")
SIZES = st.one_of(st.just(FILE_SIZE), st.integers(0, 600))
SHAPES = st.integers(0, 127)
CONFIGS = st.fixed_dictionaries(
    {
        "mapped_file_size_consume_queue_bytes": st.sampled_from((60, 400)),
        "is_message_index_enabled": st.booleans(),
        "is_message_index_safe": st.booleans(),
    }
)
"""``mapedFileSizeConsumeQueue``, ``messageIndexEnable``, ``messageIndexSafe``: what changes the
bytes around a log, and must change nothing in it. With one entry a file a broker may not start at
all: ``ConsumeQueue#truncateDirtyLogicFiles`` goes round for ever."""
PULLS = st.builds(
    StoreSettings,
    total_memory_bytes=st.sampled_from((400, 4000, 2**34)),
    memory_ratio=st.integers(0, 100),
    is_offset_checked_in_slave=st.booleans(),
    count_max_in_memory=st.integers(1, 32),
    bytes_max_in_memory=st.integers(1, 2000),
    count_max_in_disk=st.integers(1, 8),
    bytes_max_in_disk=st.integers(1, 1000),
    commit_log_file_bytes=st.just(FILE_SIZE),
)


class SideBySide(RuleBasedStateMachine):
    """A pair in bytes, and the model's state of it."""

    met: ClassVar[Counter[str]] = Counter()
    """How often each rule of the model was taken, and how many messages pulls have shown."""

    def __init__(self) -> None:
        super().__init__()
        self.group = Group(start_empty(MASTER), start_empty(SLAVE))
        self.model: Cluster | None = None
        """None behind a step that no rule allows and that is known: the model begins anew."""

    @initialize(master=CONFIGS, slave=CONFIGS)
    def begin(self, master: dict[str, Any], slave: dict[str, Any]) -> None:
        """Two empty brokers with settings of their own."""
        configs: tuple[StoreConfig, ...] = (evolve(MASTER, **master), evolve(SLAVE, **slave))
        self.group = Group(*map(start_empty, configs))
        self.model = forget(self.group)

    def follow(self, step: Step | None) -> None:
        """Let the model take the rules that may be a step of the bytes."""
        if step is None:
            return
        told = forget(self.group)
        before = told if self.model is None else keep_told(self.model, told)
        is_gap = find_gap(self.group, step) is not None
        found, misses = find_cover(before, step, is_thorough=not is_gap)
        if found is None and not is_gap:
            raise AssertionError(f"no rule is the step {step.name}: {'; '.join(misses)}")
        for action in found.actions if found else ():
            note(f"the model: {action}")
            event(action.rule_name)
            self.met[action.rule_name] += 1
        self.group = step.after
        self.model = found.cluster if found else None

    def act(self, name: str, size: int, shape: int) -> None:
        """Do something to the bytes, if it can happen now."""
        self.follow(STEPS[name](self.group, size, shape))

    @rule(size=SIZES, shape=SHAPES)
    def put(self, size: int, shape: int) -> None:
        """A producer puts a message, and the dispatcher of the master runs, or is late."""
        self.act("put", size, shape)
        if shape % 4:
            self.act("dispatch_master", 0, 0)

    @rule(size=SIZES, shape=SHAPES)
    def frame(self, size: int, shape: int) -> None:
        """The master sends, and the slave reads a frame and dispatches, or is late."""
        if not self.group.link.is_open:
            self.group = TOLD["connect"](self.group, 0, 0)
        self.group = TOLD["send"](self.group, size, shape)
        self.act("frame", size, shape)
        if shape % 4:
            self.act("dispatch_slave", 0, 0)

    @rule(name=st.sampled_from(SERVICES), shape=SHAPES)
    def serve(self, name: str, shape: int) -> None:
        """A service of a broker runs once."""
        self.act(name, 0, shape)

    @rule(who=st.sampled_from(BROKERS), end=st.sampled_from(ENDS), size=SIZES, shape=SHAPES)
    def end_and_start(self, who: str, end: str, size: int, shape: int) -> None:
        """A broker ends, one way or another; whoever is down starts again, or stays down."""
        if end == "stop":
            self.act(f"stop_{who}", size, shape)
            self.act(f"stopped_{who}", size, shape)
        elif end == "disk":
            self.act("disk_master" if who == "master" else "wipe_slave", size, shape)
        else:
            self.act(f"{end}_{who}", size, shape)
        for each in BROKERS if shape % 4 else ():
            self.act(f"restart_{each}", size, shape)

    @invariant()
    def model_is_true_of_the_bytes(self) -> None:
        """Offsets are equal; what the model holds possible includes what is."""
        if self.model is not None:
            told = keep_told(self.model, forget(self.group))
            assert [] == list_misses(told, self.group)

    @precondition(lambda self: self.group.master.is_up or self.group.slave.is_up)
    @rule(offset=st.integers(0, 9), settings=PULLS)
    def pull(self, offset: int, settings: StoreSettings) -> None:
        """A consumer pulls from whoever runs: the decisions answer from the bytes."""
        for who, role in (("master", Role.ASYNC_MASTER), ("slave", Role.SLAVE)):
            broker: Broker = getattr(self.group, who)
            for topic in TOPICS if broker.is_up else ():
                pulled = answer_from_bytes(broker, evolve(settings, role=role), topic, offset)
                self.check_found(who, topic, *pulled)

    def check_found(
        self,
        who: str,
        topic: str,
        answer: PullAnswer,
        found: dict[int, queues.ConsumeQueueEntry],
    ) -> None:
        """Every message found is a whole record of this queue, and the model has dispatched it."""
        result = answer.result
        assert isinstance(result, GetMessageResult)
        is_found = bool(result.queue_offsets) and not result.has_another_message
        assert (answer.code == ResponseCode.SUCCESS) == bool(result.message_count)
        for place in result.queue_offsets if is_found else ():
            entry, broker = found[place], getattr(self.group, who)
            record = read_record(broker, entry)
            assert record is not None, f"{who}: entry {place} leads to no record"
            assert (record.topic.decode(), record.queue_offset) == (topic, place)
            if self.model is not None:
                node = self.model.master if who == "master" else self.model.slaves[0]
                end = entry.offset_bytes + entry.size_bytes
                assert end <= node.log.dispatched_offset, f"{who}: {place} is read undispatched"
            event(f"reads of the {who}")
            self.met[f"reads of the {who}"] += 1


def answer_from_bytes(
    broker: Broker, settings: StoreSettings, topic: str, offset: int
) -> tuple[PullAnswer, dict[int, queues.ConsumeQueueEntry]]:
    """The answer to a pull of a queue of a store, and the entries that it was made from.

    The offset is folded into the queue, and one beyond its end.
    """
    queue = find_consume_queue(broker.store, topic, 0)
    offset %= queue.max_offset_in_queue + 2
    begin = max(offset, queue.min_offset_in_queue)
    entries = queues.get_index_buffer(queue, begin) or ()
    read = Read(
        settings=settings,
        queue=describe_queue(queue, begin, entries),
        offset=offset,
        max_messages=32,
        log_max_offset=broker.max_offset,
        log_min_offset=get_begin(broker.log),
    )
    situation = PullSituation(
        pull=PullMessageRequest(offset=offset),
        store=settings,
        broker=BrokerSettings(),
        group=DEFAULT_GROUP,
        topic=Topic(),
        registration=None,
        result=get_message(read),
    )
    return answer_pull(situation), dict(enumerate(entries, start=begin))


def read_record(broker: Broker, entry: queues.ConsumeQueueEntry) -> records.Record | None:
    """The record that an entry of a queue leads to, as far as it is one."""
    _, answer = reading.get_message(broker.store, entry.offset_bytes, entry.size_bytes)
    return records.decode(answer.content.data) if isinstance(answer, SelectedBuffer) else None
