"""The complete world of reading, with an administrator's manual steps on its files."""

from __future__ import annotations

import sys
from pathlib import Path

from attrs import evolve, frozen

from properties.language.property import collect_properties
from properties.language.world import ClaimedStructure, World, make_fault_models, make_sizes
from properties.worlds.reading import guarantee, lemma, log_lemma, rest
from reference.language.operators import negate
from reference.language.rule import RuleBody, between, collect_rules, rule, when
from reference.worlds.reading.queues import change_broker
from reference.worlds.reading.state import (
    MASTER,
    SLAVE,
    SMALL_READING,
    Reading,
    ReadingFaults,
)
from reference.worlds.reading.structure import ReadingStructure


@rule(who="operator", source="copy of config/consumerOffset.json")
def copy_progress_to_master(state: Reading) -> RuleBody:
    """The file of progress of a stopped master is replaced by its slave's."""
    # ENABLED WHEN
    yield when(is_master_down=negate(state.master.is_up))
    # EFFECT
    copied = evolve(state.master, progress_on_disk=state.slave.progress_on_disk)
    return change_broker(state, MASTER, copied)


@rule(who="operator", source="mqadmin resetOffsetByTime, consumers stopped")
def reset_progress(state: Reading) -> RuleBody:
    """The progress of a group without running consumers is set back in the master's table."""
    # ENABLED WHEN
    yield when(is_master_up=state.master.is_up, is_not_running=negate(state.consumer.is_running))
    progress = yield between("progress", 0, state.master.queue_max)
    # EFFECT
    return change_broker(state, MASTER, evolve(state.master, progress=progress))


@frozen(cache_hash=True)
class ClaimedReading(ReadingStructure, ClaimedStructure):
    """Two brokers and their consumer, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return READING


READERS = tuple(
    ClaimedReading(is_open, is_open, broker_id, is_checked, is_first)
    for is_open, broker_id in ((False, MASTER), (True, MASTER), (True, SLAVE))
    for is_checked in (False, True)
    for is_first in (False, True)
)
"""Every structure with the same setting on both brokers and concurrent consumers.

Concurrent consumers can do anything that orderly ones can.
"""

LATER_READERS = (
    *(evolve(s, is_reset_to_end=True) for s in READERS),
    *(
        evolve(s, is_reset_to_end=True, is_closed_slave_silent=True)
        for s in READERS
        if not (s.is_slave_open or s.is_offset_checked_in_slave)
    ),
)
"""The same under later releases. An open slave of 5.0.0 is that of 4.9.4; of a closed one, which
answers no pull, it does not matter whether it checks offsets."""

READING = World(
    name="reading",
    structures=READERS,
    properties=collect_properties(guarantee, rest, log_lemma, lemma),
    fault_models=make_fault_models(
        ReadingFaults,
        {
            "consumer kill": ("consumer_kills",),
            "slave outage": ("slave_stops", "slave_kills"),
            "slave deletes first": ("early_deletions",),
            "torn copy": ("torn_copies",),
            "dispatch behind": ("lagging_dispatches",),
            "slave misses messages": ("missed_dispatches",),
            "topic made again": ("topic_recreations",),
            "slave loss": ("slave_losses",),
            "slave stuck": ("slave_stalls",),
            "master stop": ("master_stops",),
            "partition": ("partitions",),
            "stale commit": ("stale_commits",),
            "master kill": ("master_kills",),
            "master power loss": ("master_power_losses",),
        },
    ),
    sizes=make_sizes(
        SMALL_READING,
        campaign=evolve(SMALL_READING, ghost_queue_size_max=12),
        swarm=tuple(evolve(SMALL_READING, ghost_queue_size_max=size) for size in (1, 2, 4, 12)),
    ),
    folder=Path(__file__).parent,
    chapter="consumption.md",
    mutated_structures=tuple(
        ClaimedReading(is_open, is_open, broker_id, is_checked, is_first)
        for is_open, broker_id, is_checked, is_first in (
            (False, MASTER, False, False),
            (True, MASTER, True, True),
            (True, SLAVE, False, False),
        )
    ),
    manual_rules=collect_rules(sys.modules[__name__]),
    get_healing=rest.get_healing,
)
