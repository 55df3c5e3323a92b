"""How much of what happens in a simulated recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, frozen

from reference.roles import FlushDiskType, Role


@frozen
class Scenario:
    """The brokers of a group, their settings, and what befalls them."""

    name: str
    """Its name on the command line."""
    role: Role = Role.SYNC_MASTER
    flush: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    slaves: int = 1
    file_bytes: int = 1 << 20
    """``mapedFileSizeCommitLog``."""
    batch_bytes: int = 32 * 1024
    """``haTransferBatchSize``."""
    heartbeat_ms: int = 500
    """``haSendHeartbeatInterval``."""
    housekeeping_ms: int = 4000
    """``haHousekeepingInterval``."""
    flush_timeout_ms: int = 1500
    """``syncFlushTimeout``."""
    slave_timeout_ms: int = 1200
    """``slaveTimeout``, where the release has it."""
    fall_behind_bytes: int = 256 * 1024 * 1024
    """``haSlaveFallbehindMax``."""
    body_max_bytes: int = 4000
    producers: int = 3
    think_ms: float = 40.0
    """How long a producer waits on average before it puts again."""
    wait_share: float = 0.8
    """How many of the puts wait for the store."""
    look_ms: float = 120.0
    """How often on average somebody looks at a broker."""
    strike_ms: float = 1500.0
    """How often on average the operator strikes."""
    strikes: Mapping[str, float] = field(factory=dict)
    """What the operator does, by its weight."""
    skew_ms: float = 0.0
    """How far the clocks of brokers are ahead of the proxy's, or behind it, at most."""
    losses_max: int = 0
    """How often the master loses power at most: each begins an epoch of its log."""


CALM: Mapping[str, Any] = {"think_ms": 300.0, "look_ms": 400.0}
"""Few puts and looks, so that a short recording has several strikes."""

HEALTHY = Scenario("healthy")
STALLS = Scenario(
    "stalls",
    slave_timeout_ms=800,
    flush_timeout_ms=800,
    fall_behind_bytes=30_000,
    think_ms=100.0,
    strikes={"stall": 4, "cut": 1, "cut_mid_frame": 1},
)
RESTARTS = Scenario(
    "restarts",
    strike_ms=3500,
    **CALM,
    strikes={"kill_slave": 2, "stop_slave": 2, "wipe_slave": 1, "lose_slave": 1, "cut": 1},
)
KILLS = Scenario("kills", strike_ms=7000, **CALM, strikes={"kill_master": 3, "stop_master": 2})
LOSSES = Scenario(
    "losses", strike_ms=9000, losses_max=3, **CALM, strikes={"lose_master": 3, "kill_master": 1}
)
ROLLOVERS = Scenario(
    "rollovers",
    file_bytes=16 * 1024,
    batch_bytes=8 * 1024,
    strike_ms=1200,
    strikes={"expire": 2, "stall": 1, "kill_slave": 1},
)

SCENARIOS: Mapping[str, Scenario] = {
    each.name: each
    for each in (
        HEALTHY,
        STALLS,
        RESTARTS,
        KILLS,
        LOSSES,
        ROLLOVERS,
        Scenario("async", role=Role.ASYNC_MASTER, strikes={"stall": 2, "kill_slave": 1}),
        Scenario("sync_flush", flush=FlushDiskType.SYNC_FLUSH, file_bytes=64 * 1024),
        Scenario("skewed", skew_ms=0.8, strikes={"cut": 1, "kill_slave": 1}),
        Scenario("looked_at", look_ms=4.0, think_ms=10.0),
        Scenario("two_slaves", slaves=2, strikes={"stall": 2, "kill_slave": 1, "cut": 1}),
        evolve(
            ROLLOVERS,
            name="everything",
            flush=FlushDiskType.SYNC_FLUSH,
            slaves=2,
            losses_max=2,
            strike_ms=2500,
            think_ms=100.0,
            strikes={
                **{name: 1 for s in (STALLS, RESTARTS, KILLS) for name in s.strikes},
                "lose_master": 1,
                "expire": 1,
            },
        ),
    )
}
"""By name."""
