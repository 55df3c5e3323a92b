"""Situations of a master, each with what its slaves, producers and consumers see."""

from __future__ import annotations

import functools
from typing import Any

from brokers.disk.files.folders import COMMIT_LOG
from brokers.wire.codes import RequestCode
from brokers.wire.replication import encode_report
from tests.brokers.broker.mutants.bench import (
    FILE_BYTES,
    TIMEOUT_MS,
    Bench,
    ScriptedSlave,
    fill,
    get_end,
    join,
    put,
    tell_put,
)
from tests.brokers.broker.simulated.lone import Lone

FAR = 10**6
"""A report that no master here has bytes for."""
ALL_DAY = ";".join(f"{hour:02d}" for hour in range(24))


def start_full(bench: Bench, messages: int, **told: Any) -> Lone:
    """A master with so many messages of 400 bytes."""
    lone = bench.start(**told)
    fill(lone, messages)
    return lone


def join_at(lone: Lone, offset: int, wait_ms: float = 300.0) -> ScriptedSlave:
    """A slave connects, waits, requests and reads for a while."""
    slave = join(lone)
    lone.wait(700.0)
    slave.report(offset)
    lone.wait(wait_ms)
    return slave


# Connections


def silent_connection(bench: Bench) -> Any:
    """What is sent to a connection that has not reported."""
    slave = join(start_full(bench, 1))
    bench.network.run(functools.partial(is_after, bench, bench.network.now_ms + 2000.0))
    return slave.list_frames()


def is_after(bench: Bench, t_ms: float) -> bool:
    """The clock has come so far."""
    return bench.network.now_ms >= t_ms


def put_beside_silent_slave(bench: Bench) -> Any:
    """A put while a connection has not reported."""
    lone = bench.start()
    join(lone)
    return put(lone)


def two_connections(bench: Bench) -> Any:
    """Whether the first is closed, and whether each is sent what it requests."""
    lone = start_full(bench, 1)
    first, second = join_at(lone, 0), join_at(lone, 0)
    return first.is_lost, bool(first.list_bodies()), bool(second.list_bodies())


def silence_before_a_report(bench: Bench) -> Any:
    """Whether a silent connection is closed at 2.5 and at 6.5 s of 4 s."""
    lone = bench.start(haHousekeepingInterval=4000)
    slave, lost = join(lone), []
    for _ in range(2):
        lone.wait(2500.0 + 1500.0 * len(lost))
        lost.append(slave.is_lost)
    return lost


def silence_after_a_report(bench: Bench) -> Any:
    """Whether a connection that only reads is closed after 4 s."""
    lone = start_full(bench, 1, haHousekeepingInterval=4000)
    slave = join_at(lone, 0)
    lone.wait(6500.0)
    return slave.is_lost


# Position


def request(offset: int, bench: Bench) -> Any:
    """The first frame for a request, with a log of two files."""
    return join_at(start_full(bench, 50), offset).list_frames()[:1]


def later_report(bench: Bench) -> Any:
    """Bodies that follow a report of bytes long sent."""
    lone = start_full(bench, 3)
    slave = join_at(lone, 0)
    count = len(slave.list_bodies())
    slave.report(400)
    lone.wait(300.0)
    return slave.list_bodies()[count:]


def request_below(bench: Bench) -> Any:
    """A request for bytes in a file that is deleted: bodies, and whether it is closed."""
    slave = join_at(start_without_first_file(bench), 400, 1500.0)
    return slave.list_bodies(), slave.is_lost


def start_without_first_file(bench: Bench) -> Lone:
    """A master whose first file is gone."""
    lone = start_full(bench, 50)
    lone.broker.stop(lambda: None)
    lone.wait(2000.0)
    lone.process.is_alive = False
    (lone.folder / COMMIT_LOG / f"{0:020d}").unlink()
    return bench.start()


def second_connection(bench: Bench) -> Any:
    """Bodies over a second connection that requests what the first one did."""
    lone = start_full(bench, 3)
    first = join_at(lone, 400)
    assert first.transport is not None
    first.transport.close()
    lone.wait(50.0)
    return join_at(lone, 400).list_bodies()


# Heartbeats


def idle_slave(bench: Bench) -> Any:
    """Heartbeats per second, within three idle ones."""
    lone = start_full(bench, 1)
    slave = join_at(lone, 400)
    lone.wait(3000.0)
    return round(len(slave.list_heartbeats()) / 3)


def first_heartbeat(bench: Bench) -> Any:
    """The first frame after a request inside the log."""
    return join_at(start_full(bench, 2), 400).list_frames()[0]


# Frames


def frames_of_a_batch(bench: Bench) -> Any:
    """Bodies with batches of 1000 bytes."""
    return join_at(start_full(bench, 5, haTransferBatchSize=1000), 400).list_bodies()


def frames_of_two_files(bench: Bench) -> Any:
    """Bodies around the end of a file."""
    return join_at(start_full(bench, 50), 400).list_bodies()


def first_header(bench: Bench) -> Any:
    """The header of the first body."""
    lone = bench.start()
    slave = join_at(lone, 0, 50.0)
    known = len(slave.data)
    fill(lone, 1)
    lone.wait(300.0)
    return slave.data[known : known + 12].hex()


def unflushed_bytes(bench: Bench) -> Any:
    """Bodies soon after a put that nothing flushes."""
    lone = bench.start("ASYNC_MASTER")
    slave = join_at(lone, 0)
    fill(lone, 1)
    lone.wait(300.0)
    return slave.list_bodies()


# Reports


def believed_report(bench: Bench) -> Any:
    """A report beyond the master's end: whether it is closed, and the next put."""
    lone = bench.start()
    slave = join_at(lone, FAR)
    return slave.is_lost, put(lone)


def report_of_a_closed_connection(bench: Bench) -> Any:
    """A put beside a silent slave, after another one has reported and left."""
    lone = bench.start()
    slave = join_at(lone, FAR)
    join(lone)
    assert slave.transport is not None
    slave.transport.close()
    lone.wait(100.0)
    return put(lone)


def lower_report(bench: Bench) -> Any:
    """A put after a report and a lower one."""
    lone = start_full(bench, 1)
    slave = join_at(lone, FAR)
    slave.report(5)
    lone.wait(50.0)
    return put(lone)


def report_of_a_second_slave(bench: Bench) -> Any:
    """A put that only the second slave has reported."""
    lone = bench.start()
    join(lone)
    join_at(lone, FAR)
    return put(lone)


def two_reports_at_once(bench: Bench) -> Any:
    """A put after two reports in one piece."""
    lone = bench.start()
    slave = join(lone)
    slave.report(0, FAR)
    lone.wait(50.0)
    return put(lone)


def half_report(bench: Bench) -> Any:
    """A put after the first half of a report."""
    lone = bench.start()
    slave = join(lone)
    slave.write(encode_report(2**40)[:4])
    lone.wait(50.0)
    return put(lone)


# Puts


def put_alone(bench: Bench, role: str = "SYNC_MASTER", **others: Any) -> Any:
    """A put without a slave: its code, and how many messages its queue has."""
    lone = bench.start(role)
    code = put(lone, **others)
    return code, ask_end(lone)


def ask_end(lone: Lone) -> int:
    """The end of the queue, as its broker tells it."""
    lone.wait(20.0)
    answer = lone.ask(lone.connect(), RequestCode.GET_MAX_OFFSET, {"topic": "T", "queueId": 0})
    return int(answer.fields["offset"])


def put_at_the_limit(bench: Bench, size: int = 1000) -> Any:
    """A put that makes a slave fall behind by so many bytes of 1000."""
    lone = bench.start(haSlaveFallbehindMax=1000)
    join(lone)
    return put(lone, size)


def put_of_a_later_life(bench: Bench) -> Any:
    """A put of a restarted master that is longer than the limit, beside a silent slave."""
    lone = bench.again(start_full(bench, 5), haSlaveFallbehindMax=1000)
    join(lone)
    return put(lone)


def roll_of_a_file(bench: Bench) -> Any:
    """The code of the first put in a second file, flushed synchronously."""
    lone = bench.start("SYNC_MASTER", flushDiskType="SYNC_FLUSH")
    fill(lone, 10, 1600)
    assert get_end(lone) < FILE_BYTES
    return put(lone)


# Waits


def answered_by_its_end(bench: Bench) -> Any:
    """A put whose slave reports exactly its end."""
    lone = bench.start()
    slave = join_at(lone, 0)
    return answer_after(lone, slave, [400])


def answer_after(lone: Lone, slave: ScriptedSlave, reports: list[int]) -> int | None:
    """The code of a put of 400 bytes after some reports, each a while after the one before."""
    producer = tell_put(lone)
    lone.wait(20.0)
    for offset in reports:
        slave.report(offset)
        lone.wait(20.0)
    lone.wait(8 * TIMEOUT_MS)
    codes = [command.code for command in producer.received_commands]
    return codes[0] if codes else None


def many_reports(bench: Bench) -> Any:
    """A put whose slave reports its parts, and at last its end."""
    lone = bench.start()
    slave = join_at(lone, 0)
    return answer_after(lone, slave, [50, 100, 150, 200, 250, 300, 400])


def sent_and_not_reported(bench: Bench) -> Any:
    """A put that is sent to a slave which reports nothing more."""
    lone = bench.start()
    return answer_after(lone, join_at(lone, 0), [])


def less_than_its_end(bench: Bench) -> Any:
    """A put whose slave reports what was there before."""
    lone = start_full(bench, 1)
    return answer_after(lone, join_at(lone, 400), [400])


def never_reported(bench: Bench) -> Any:
    """A put beside a silent slave."""
    lone = bench.start()
    return answer_after(lone, join(lone), [])


def quorum_alone(bench: Bench) -> Any:
    """A put of a quorum without a slave."""
    return put(bench.start())


def quorum_of_the_closed(bench: Bench) -> Any:
    """A put of a quorum whose only slave has reported it and left."""
    lone = bench.start()
    slave = join_at(lone, FAR)
    assert slave.transport is not None
    slave.transport.close()
    lone.wait(100.0)
    return put(lone)


# The store


def unflushed_message(bench: Bench) -> Any:
    """A pull soon after a put that is neither flushed nor copied."""
    lone = start_full(bench, 1, role="ASYNC_MASTER")
    lone.wait(30.0)
    return lone.pull(lone.connect(), "T", 0, 0).code


def retention(bench: Bench) -> Any:
    """The least offset of the log after expired files were cleaned up, with no slave."""
    lone = start_full(bench, 50, fileReservedTime=0, deleteWhen=ALL_DAY)
    lone.wait(90_000.0)
    return lone.broker.store.min_offset
