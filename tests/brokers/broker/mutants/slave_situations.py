"""Situations of a slave whose master is scripted, each with what that master sees."""

from __future__ import annotations

from typing import Any

from brokers.wire.replication import FRAME_HEADER
from reference.store import records
from tests.brokers.broker.mutants.bench import FILE_BYTES, Bench, ScriptedMaster, put
from tests.brokers.broker.simulated.lone import Lone

SIZE = 400


def make_message() -> bytes:
    """A message of 400 bytes, as a log has it."""
    record = records.Record(b"T", 0, 0, 0, bytes(SIZE - records.compute_message_length(0, 1, 0)))
    data = records.encode(record)
    assert len(data) == SIZE
    return data


MESSAGE = make_message()


def start_at(bench: Bench, messages: int, **told: Any) -> tuple[Lone, ScriptedMaster]:
    """A slave that has so many messages, on a connection that goes on."""
    lone, master = bench.start_slave(**told)
    lone.wait(1200.0)
    for number in range(messages):
        master.send(number * SIZE, MESSAGE)
    lone.wait(50.0)
    return lone, master


def silence_before_the_report(bench: Bench) -> Any:
    """Whether the first report comes within the heartbeat interval."""
    lone, master = bench.start_slave()
    lone.wait(2500.0)
    first_ms = master.last.first_ms
    return first_ms is not None and first_ms < 400.0


def first_report(bench: Bench) -> Any:
    """The first report of a second connection."""
    lone, master = start_at(bench, 1)
    master.cut()
    lone.wait(8000.0)
    return master.last.reports[0]


def report_of_an_append(bench: Bench, size: int = SIZE) -> Any:
    """Reports within 50 ms of a frame with so many bytes."""
    lone, master = start_at(bench, 0)
    count = len(master.last.reports)
    master.send(0, MESSAGE[:size])
    lone.wait(50.0)
    return master.last.reports[count:]


def frame_beyond_its_file(bench: Bench) -> Any:
    """Reports of a frame that no file can hold."""
    lone, master = start_at(bench, 0)
    count = len(master.last.reports)
    master.send(0, bytes(FILE_BYTES + 100))
    lone.wait(50.0)
    return master.last.reports[count:]


def heartbeats(bench: Bench) -> Any:
    """Reports within a second of heartbeats."""
    lone, master = start_at(bench, 1)
    count = len(master.last.reports)
    for _ in range(10):
        master.send(SIZE)
        lone.wait(100.0)
    return master.last.reports[count:]


def silent_master(bench: Bench) -> Any:
    """Whether it has closed after 2.5 and after 9 s of silence, with 4 s allowed."""
    lone, master = bench.start_slave(haHousekeepingInterval=4000)
    connection, lost = master.last, []
    for wait_ms in (2500.0, 6500.0):
        lone.wait(wait_ms)
        lost.append(connection.is_lost)
    return lost


def reports_to_a_silent_master(bench: Bench) -> Any:
    """Whether there is more than one report within five seconds."""
    lone, master = bench.start_slave()
    lone.wait(5000.0)
    return len(master.last.reports) > 1


def lost_connection(bench: Bench) -> Any:
    """How often it has connected a second after its connection was closed."""
    lone, master = start_at(bench, 1)
    master.cut()
    lone.wait(1000.0)
    return len(master.connections)


Told = tuple[list[int], int]
"""Reports that follow on the same connection, and how many connections there are."""


def frame_at(bench: Bench, messages: int, offset: int, body: bytes) -> Told:
    """What follows a frame that comes to a slave with so many messages."""
    lone, master = start_at(bench, messages)
    connection = master.last
    count = len(connection.reports)
    master.send(offset, body)
    lone.wait(200.0)
    return connection.reports[count:], 1 + connection.is_lost


def header_at(bench: Bench, offset: int) -> Any:
    """Whether a header, of a frame whose body does not come, ends the connection."""
    lone, master = start_at(bench, 2)
    connection = master.last
    master.write(FRAME_HEADER.pack(offset, SIZE) + MESSAGE[:150])
    lone.wait(200.0)
    return connection.is_lost


def half_frame(bench: Bench) -> Any:
    """The last report when half a frame has come."""
    lone, master = start_at(bench, 0)
    count = len(master.last.reports)
    master.write(FRAME_HEADER.pack(0, SIZE) + MESSAGE[:150])
    lone.wait(50.0)
    return master.last.reports[count:][-1:]


def whole_frame_after_half(bench: Bench) -> Any:
    """What follows a whole frame, when half of it came over the connection before."""
    lone, master = start_at(bench, 0)
    master.write(FRAME_HEADER.pack(0, SIZE) + MESSAGE[:150])
    lone.wait(50.0)
    master.cut()
    lone.wait(8000.0)
    connection = master.last
    count = len(connection.reports)
    master.send(0, MESSAGE)
    lone.wait(50.0)
    return connection.reports[count:], 1 + connection.is_lost


def put_to_a_slave(bench: Bench) -> Any:
    """The code of a send."""
    lone, _ = start_at(bench, 1)
    return put(lone)


def pull_from_a_slave(bench: Bench, offset: int) -> Any:
    """The code of a pull, with one message in the queue."""
    lone, _ = start_with_topic(bench)
    return lone.pull(lone.connect(), "T", 0, offset).code


def start_with_topic(bench: Bench) -> tuple[Lone, ScriptedMaster]:
    """A slave with a message and its topic."""
    lone, master = start_at(bench, 1)
    create_topic(lone)
    lone.wait(30.0)
    return lone, master


def create_topic(lone: Lone) -> None:
    """As an administrator does."""
    fields = {"topic": "T", "readQueueNums": 4, "writeQueueNums": 4, "perm": 6}
    assert lone.ask(lone.connect(), 17, fields).code == 0


def commit_at_a_slave(bench: Bench) -> Any:
    """Progress after a commit."""
    lone, _ = start_with_topic(bench)
    place = {"topic": "T", "queueId": 0, "consumerGroup": "G"}
    lone.ask(lone.connect(), 15, {**place, "commitOffset": 7})
    return lone.ask(lone.connect(), 14, place).fields["offset"]


def pull_with_progress(bench: Bench) -> Any:
    """Progress after a pull that carries some."""
    lone, _ = start_with_topic(bench)
    lone.pull(lone.connect(), "T", 0, 0, sysFlag=5, commitOffset=7)
    place = {"topic": "T", "queueId": 0, "consumerGroup": "G"}
    return lone.ask(lone.connect(), 14, place).fields["offset"]
