"""The small instances that SPIN and TLC judge, and their sizes."""

from __future__ import annotations

from attrs import evolve

from properties.exports.instances import JudgedInstance
from properties.worlds.replication.structures import STOCK_PAIR
from reference.worlds.delay.state import SMALL_DELAY
from reference.worlds.reading.state import SMALL_READING
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters
from reference.worlds.tables.state import SMALL_TABLES

TINY: Parameters = evolve(
    SMALL_PARAMETERS,
    ha_slave_fallbehind_max_bytes=2,
    ha_transfer_batch_size_bytes=1,
    mapped_file_size_bytes=2,
    message_size_max_bytes=1,
    ghost_log_size_max_bytes=4,
)
"""Two files of two bytes, messages of one byte."""

ONE_MESSAGE = evolve(SMALL_READING, ghost_queue_size_max=1)
SHORT_QUEUE = evolve(SMALL_READING, ghost_queue_size_max=2)
THREE_CONTENTS = evolve(SMALL_TABLES, ghost_contents_max=3)

ALONE = "SYNC_MASTER/SYNC_FLUSH/0 slaves"
PAIR = STOCK_PAIR.name
ASYNCHRONOUS_PAIR = "ASYNC_MASTER/ASYNC_FLUSH/1 slave"
READER = "reading/open slow/no offset check/last"

LOG, CONTENTS = "log of 4 bytes", "3 contents"
MESSAGE, QUEUE = "queue of 1 message", "queue of 2 messages"

JUDGED_INSTANCES = (
    JudgedInstance(ALONE, "none", TINY, LOG),
    JudgedInstance(ALONE, "master power loss", TINY, LOG),
    JudgedInstance(ALONE, "none", SMALL_PARAMETERS, "log of 12 bytes", is_nightly=True),
    JudgedInstance(ASYNCHRONOUS_PAIR, "link cut", TINY, LOG, 12),
    JudgedInstance(ASYNCHRONOUS_PAIR, "master power loss", TINY, LOG, 10, is_nightly=True),
    JudgedInstance(PAIR, "disk errors", TINY, LOG, 12),
    JudgedInstance(PAIR, "slave power loss", TINY, LOG, 13),
    JudgedInstance(PAIR, "master power loss", TINY, LOG, 15, is_nightly=True),
    JudgedInstance(PAIR, "every fault", TINY, LOG, 8, is_nightly=True),
    JudgedInstance(f"{PAIR} at 4.8.0", "slave wiped", TINY, LOG, 12, is_nightly=True),
    JudgedInstance(
        "SYNC_MASTER/ASYNC_FLUSH/2 slaves", "every fault", TINY, LOG, 6, is_nightly=True
    ),
    JudgedInstance(ASYNCHRONOUS_PAIR, "none", TINY, LOG, 20, is_nightly=True),
    JudgedInstance(READER, "none", ONE_MESSAGE, MESSAGE),
    JudgedInstance(READER, "slave deletes first", ONE_MESSAGE, MESSAGE),
    JudgedInstance(READER, "none", SHORT_QUEUE, QUEUE, is_nightly=True),
    JudgedInstance("tables/topics/4.4.0", "stop", THREE_CONTENTS, CONTENTS),
    JudgedInstance("tables/groups/4.4.0", "kill", THREE_CONTENTS, CONTENTS, is_nightly=True),
    JudgedInstance("delay/corrected at start", "promotion", SMALL_DELAY, "queue of 3 messages"),
    JudgedInstance("delay/4.4.0", "power loss", SMALL_DELAY, "queue of 3 messages"),
)
"""Smaller ones before larger ones of the same world."""
