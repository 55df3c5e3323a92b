"""The proxy between two real sockets: bytes arrive unchanged, and ends are told."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from brokers.recorder import proxy
from brokers.recorder.line import Line
from tests.brokers.recorder.peers import End, Pair, run
from tests.brokers.recorder.streams import (
    draw_pieces,
    make_controlled_frame,
    make_frames,
    make_master_handshake,
    make_reports,
    make_slave_handshake,
)


def make_stream(seed: int) -> tuple[bytes, bytes]:
    """What a slave and a master send: rightly, under a controller, or anything."""
    source = random.Random(seed)
    if seed % 3 == 0:
        return source.randbytes(2000), source.randbytes(60_000)
    sizes = [source.choice((0, 1, 300, 9000)) for _ in range(12)]
    if seed % 3 == 1:
        frames = [(offset * 7, size) for offset, size in enumerate(sizes)]
        return make_reports(*range(50)), make_frames(*frames)
    frames_of = (make_controlled_frame(1, size, 2, 0, 1) for size in sizes)
    return make_slave_handshake(2), make_master_handshake(9, (2, 0)) + b"".join(frames_of)


async def send_pieces(end: End, data: bytes, seed: int) -> None:
    """Send in pieces of any size, then nothing more."""
    for piece in draw_pieces(data, seed):
        end.writer.write(piece)
        await end.writer.drain()
        await asyncio.sleep(0)
    end.writer.write_eof()


def check_bytes(seed: int) -> None:
    """Both directions at once, until both have ended."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        up, down = make_stream(seed)
        sending = asyncio.gather(send_pieces(slave, up, seed), send_pieces(master, down, seed + 1))
        got = await asyncio.gather(master.read_all(), slave.read_all())
        await sending
        assert (up, down) == tuple(got)
        assert ["slave", "master"] == sorted(pair.list_closings(), reverse=True)
        assert len(up) + len(down) == pair.link.forwarded_bytes
        pair.link.close()

    run(test)


@pytest.mark.parametrize("seed", range(3))
def test_bytes_arrive_unchanged(seed: int) -> None:
    """Of any kind, in pieces of any size."""
    check_bytes(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3, 300))
def test_more_bytes_arrive_unchanged(seed: int) -> None:
    """The same for many streams."""
    check_bytes(seed)


def test_what_was_forwarded_was_written_down_before() -> None:
    """When a peer has bytes, their line is there."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        for number in range(20):
            slave.writer.write(make_reports(number))
            await master.reader.readexactly(8)
            assert number == pair.lines[-1].fields["slave_offset"]
            master.writer.write(make_frames((number, 10)))
            await slave.reader.readexactly(22)
            assert number == pair.lines[-1].fields["master_offset"]
        stamps = [line.wall_ms for line in pair.lines]
        assert sorted(stamps) == stamps
        pair.link.close()
        await asyncio.gather(slave.read_all(), master.read_all())

    run(test)


def test_a_half_closed_connection_goes_on() -> None:
    """What the other side still sends arrives."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        slave.writer.write_eof()
        assert b"" == await master.read_all()
        assert ["slave"] == pair.list_closings()
        master.writer.write(make_frames((0, 5)))
        master.writer.close()
        assert make_frames((0, 5)) == await slave.read_all()
        assert ["slave", "master"] == pair.list_closings()

    run(test)


Break = Callable[[End, End, Pair], None]


@pytest.mark.parametrize(
    ("end_it", "told"),
    [
        (lambda slave, _, __: slave.reset(), ["ha_link_close"]),
        (lambda _, master, __: master.reset(), ["ha_link_close"]),
        (lambda _, __, pair: pair.link.close(), ["link_cut"]),
    ],
    ids=["slave", "master", "recorder"],
)
def test_a_reset_ends_both_sides(end_it: Break, told: list[str]) -> None:
    """At once, and the end is told once."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        slave.writer.write(make_reports(7))
        await master.reader.readexactly(8)
        end_it(slave, master, pair)
        await pair.wait_for(told[0])
        await asyncio.gather(slave.read_all(), master.read_all())
        assert ["ha_link_open", "ha_report", *told] == pair.list_kinds()
        assert ["reset"] * (told == ["ha_link_close"]) == pair.list_closings()
        pair.link.close()

    run(test)


def test_a_slave_finds_its_master_down_and_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reset and then refused for a while; the next connection is the first of the link."""
    monkeypatch.setattr(proxy, "DOWN_SECONDS", 0.01)

    async def test() -> None:
        pair = Pair()
        await pair.start(has_master=False)
        slave = End(*await asyncio.open_connection(*pair.link.listen))
        assert b"" == await slave.read_all()
        assert ["proxy_target_down"] == pair.list_kinds()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(*pair.link.listen)
        assert pair.link.resuming is not None
        await pair.link.resuming
        pair.master = await asyncio.start_server(
            lambda r, w: pair.accepted.put_nowait(End(r, w)), *pair.link.target
        )
        for number in (1, 2):
            slave, master = await pair.connect()
            assert ("ha_link_open", number) == (pair.lines[-1].kind, pair.lines[-1].fields["conn"])
            slave.writer.close()
            await master.read_all()
            master.writer.close()
            await pair.wait_for("ha_link_close", 2 * number)

    run(test)


async def drains(end: End) -> bool:
    """What was written is taken; not, where the kernel's buffers are full."""
    try:
        await asyncio.wait_for(end.writer.drain(), 0.2)
    except TimeoutError:
        return False
    return True


def test_a_side_that_does_not_read_holds_the_other_back() -> None:
    """The proxy keeps no more than its bound, a read, and what the kernel takes."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        slave.reader._transport.pause_reading()  # type: ignore[attr-defined]
        sent = 0
        master.writer.transport.set_write_buffer_limits(high=0)
        is_full = False
        while not is_full:
            master.writer.write(make_frames((sent, 99_988)))
            sent += 100_000
            is_full = not await drains(master)
        (connection,) = pair.link.connected
        waiting = connection.sides[proxy.SLAVE].transport
        assert waiting is not None
        assert waiting.get_write_buffer_size() <= proxy.UNSENT_BYTES_MAX + 256 * 1024
        slave.reader._transport.resume_reading()  # type: ignore[attr-defined]
        master.writer.write_eof()
        assert sent == len(await slave.read_all())
        pair.link.close()

    run(test)


def test_connections_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is ended; when another has gone there is room again."""
    monkeypatch.setattr(proxy, "CONNECTIONS_MAX", 2)

    async def test() -> None:
        pair = Pair()
        await pair.start()
        first, second = await pair.connect(), await pair.connect()
        third = End(*await asyncio.open_connection(*pair.link.listen))
        assert b"" == await third.read_all()
        first[0].reset()
        await pair.wait_for("ha_link_close")
        await first[1].read_all()
        await pair.connect()
        assert 3 == pair.link.connections
        pair.link.close()
        await second[1].read_all()

    run(test)


def test_a_recorder_that_cannot_write_does_not_forward() -> None:
    """Nobody gets a byte that is not written down."""

    async def test() -> None:
        pair = Pair()
        await pair.start()
        slave, master = await pair.connect()
        failed = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().set_exception_handler(
            lambda _, found: failed.done() or failed.set_result(found["exception"])
        )

        def refuse(_: list[Line]) -> None:
            raise OSError(28, "No space left on device")

        pair.link.write = refuse
        slave.writer.write(make_reports(7))
        assert isinstance(await failed, OSError)
        assert b"" == await master.read_all()

    run(test)
