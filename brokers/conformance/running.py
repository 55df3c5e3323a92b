"""Cases on real sockets: the broker under test is made empty, a case is played and judged."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from attrs import define, field, frozen

from brokers.broker.host import Peer
from brokers.broker.settings import Settings
from brokers.broker.sockets.socket_host import SocketHost
from brokers.conformance.acts import play
from brokers.conformance.case import Case
from brokers.conformance.judging import SKIPPED, CaseOutcome, judge
from brokers.conformance.stage import Serving, Stage
from brokers.wire.serving import Failures
from reference.decisions.metadata.services import VIP_PORT_STEP

COMMAND_TIMEOUT_S = 120.0
REACH_TIMEOUT_S = 60.0
REACH_EVERY_S = 0.05
CASE_TIMEOUT_S = 900.0
TICK_S = 0.01
PORTS_TRIED_MAX = 20


class NoBrokerError(Exception):
    """The broker under test cannot be reached, or not be made empty: one line."""


@frozen
class BrokerUnderTest:
    """Where the broker under test is, and how it is set."""

    settings: Settings
    ha_address: str = ""
    """A master's, for slaves."""
    broker_address: str = ""
    """For clients."""
    bind: str = "127.0.0.1"
    listen_port: int = 0
    """Where the tester's master takes a slave under test."""
    names_port: int = 0
    """Where the tester's name server listens; 0: there is none."""
    fresh: str = ""
    """A shell command after which the broker runs and is empty; empty: one case is played."""
    restart: str = ""
    """One that kills it and starts it on its store; empty: cases that need that are not played."""


def find_obstacle(case: Case, target: BrokerUnderTest) -> str:
    """Why a case cannot be played with this broker and its settings; empty if it can."""
    settings = target.settings
    if case.is_whole and not case.is_master_tested:
        missing = [n for n, is_told in list_needed(target).items() if not is_told]
        if missing:
            return f"it needs {' and '.join(missing)}"
    if case.restarts and not target.restart:
        return "it needs --restart"
    if case.restarts and not target.broker_address:
        return "it needs --broker: where the broker listens when it has started again"
    for key, word in case.words.items():
        if settings.text(key) != word:
            return f"{key} is {settings.text(key)}, and has to be {word}"
    for key, (low, high) in case.needs.items():
        value = int(settings.get(key) or 0)
        if not low <= value <= high:
            return f"{key} is {value}, and has to be {low} to {high}"
    return ""


def list_needed(target: BrokerUnderTest) -> dict[str, bool]:
    """What a case of copies needs, by its option, and whether it was told."""
    return {
        "--broker": bool(target.broker_address),
        "--namesrv-listen": bool(target.names_port),
    }


@define(eq=False, repr=False)
class TimerLateness:
    """How late this process is at most, by a timer that ticks."""

    worst_ms: float = 0.0
    _handle: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to measure."""
        due = loop.time() + TICK_S

        def tick() -> None:
            self.worst_ms = max(self.worst_ms, (loop.time() - due) * 1000)
            self.start(loop)

        self._handle = loop.call_at(due, tick)

    def stop(self) -> None:
        """Measure no more."""
        if self._handle is not None:
            self._handle.cancel()


@define(eq=False, repr=False)
class Listening:
    """Ports of the tester, open only while that runs which listens there."""

    host: SocketHost
    bind: str
    ports: tuple[int, ...]
    servers: list[asyncio.base_events.Server] = field(factory=list)
    task: asyncio.Task[None] | None = None

    def open(self, make_peer: Callable[[], Peer]) -> Callable[[], None]:
        """Begin to listen; what it returns ends that."""
        self.task = self.host.loop.create_task(self._open(make_peer))
        return self.close

    async def _open(self, make_peer: Callable[[], Peer]) -> None:
        try:
            for port in self.ports:
                self.servers.append(await self.host.listen(self.bind, port, make_peer))
        except OSError as problem:
            self.host.fail(problem)

    def close(self) -> None:
        """Refuse connections."""
        if self.task is not None:
            self.task.cancel()
        for server in self.servers:
            server.close()
        self.servers.clear()


def make_serving(host: SocketHost, target: BrokerUnderTest) -> Serving | None:
    """Where a slave under test finds name server and master; None: it is told of neither."""
    if not target.names_port:
        return None
    own_host = find_own_host(target)
    port = find_free_port(target.bind)
    return Serving(
        names=Listening(host, target.bind, (target.names_port,)).open,
        clients=Listening(host, target.bind, (port, port + VIP_PORT_STEP)).open,
        client_address=f"{own_host}:{port}",
        ha_address=f"{own_host}:{target.listen_port}",
    )


def find_own_host(target: BrokerUnderTest) -> str:
    """Where the broker under test reaches this machine: as it is told, else where it listens."""
    told, _, _ = target.settings.text("haMasterAddress").rpartition(":")
    return told or target.bind


def find_free_port(bind: str) -> int:
    """A port that is free, and so is the one two below it, for topics. Raises NoBrokerError."""
    for _ in range(PORTS_TRIED_MAX):
        with socket.create_server((bind, 0)) as first:
            port = first.getsockname()[1]
            with contextlib.suppress(OSError), socket.create_server((bind, port + VIP_PORT_STEP)):
                return int(port)
    raise NoBrokerError(f"no two ports are free at {bind} for the tester's master")


async def play_case(case: Case, target: BrokerUnderTest, folder: Path) -> CaseOutcome:
    """One case against a broker that is there and empty."""
    done = asyncio.Event()
    failures, lateness = Failures(lambda _: None, done.set), TimerLateness()
    host = SocketHost(lambda _: None, failures.fail)
    failures.watch(host.loop)
    listening = Listening(host, target.bind, (target.listen_port,))
    restarting = Restarting(target, host)
    stage = Stage(
        host,
        folder,
        target.settings,
        target.ha_address,
        target.broker_address,
        listening.open,
        make_serving(host, target),
        restarting.begin,
        is_whole=case.is_whole,
        own_settings=case.own_settings,
    )
    lateness.start(host.loop)
    gc.disable()  # A collection of garbage stops every timer for 20 ms.
    host.loop.call_soon(lambda: play(stage, case.acts, done.set))
    try:
        await asyncio.wait_for(done.wait(), CASE_TIMEOUT_S)
    finally:
        lateness.stop()
        stage.end()
        gc.enable()
    if failures.first is not None:
        raise failures.first
    return judge(case, stage.take_down(case.name, lateness.worst_ms))


@define(eq=False, repr=False)
class Restarting:
    """The broker under test is killed and started again, in between."""

    target: BrokerUnderTest
    host: SocketHost
    task: asyncio.Task[None] | None = None

    def begin(self, then: Callable[[], None]) -> None:
        """Do it; ``then`` follows, unless it fails, which ends the case."""
        self.task = self.host.loop.create_task(self._run(then))

    async def _run(self, then: Callable[[], None]) -> None:
        try:
            await run_command("--restart", self.target.restart)
            await reach(self.target.broker_address)
        except NoBrokerError as problem:
            self.host.fail(problem)
        else:
            self.host.guard(then)


async def run_command(option: str, command: str) -> None:
    """A shell command to its end. Raises NoBrokerError."""
    process = await asyncio.create_subprocess_shell(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, errors = await asyncio.wait_for(process.communicate(), COMMAND_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        raise NoBrokerError(f"{option} takes more than {COMMAND_TIMEOUT_S:.0f} s") from None
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise NoBrokerError(f"{option} ends with {process.returncode}: {''.join(last)}")


async def reach(address: str) -> None:
    """Wait until a broker takes clients. Raises NoBrokerError."""
    host, _, port = address.rpartition(":")
    loop = asyncio.get_running_loop()
    until = loop.time() + REACH_TIMEOUT_S
    while True:
        try:
            _, writer = await asyncio.open_connection(host, int(port))
        except OSError as problem:
            if loop.time() > until:
                raise NoBrokerError(f"no broker at {address}: {problem}") from None
            await asyncio.sleep(REACH_EVERY_S)
            continue
        writer.close()
        return


def run_cases(cases: Iterable[Case], target: BrokerUnderTest) -> Iterator[CaseOutcome]:
    """Each case on an empty broker, with its outcome. Raises NoBrokerError, OSError."""
    is_used = False
    for case in cases:
        obstacle = find_obstacle(case, target)
        if not obstacle and is_used and not target.fresh:
            obstacle = "the broker is not empty any more: --fresh says how to make it so"
        if obstacle:
            yield CaseOutcome(case, SKIPPED, obstacle)
            continue
        is_used = True
        with tempfile.TemporaryDirectory(prefix="rmqspec-conform-") as folder:
            yield asyncio.run(_run_case(case, target, Path(folder)))


async def _run_case(case: Case, target: BrokerUnderTest, folder: Path) -> CaseOutcome:
    if target.fresh:
        await run_command("--fresh", target.fresh)
    if target.broker_address:
        await reach(target.broker_address)
    return await play_case(case, target, folder)
