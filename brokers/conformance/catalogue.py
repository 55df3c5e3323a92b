"""All cases, by the role of the broker that they hold."""

from __future__ import annotations

from brokers.conformance.case import Case
from brokers.conformance.cases import (
    master_answers,
    master_reading,
    master_restarts,
    master_retention,
    master_strangers,
    master_transfer,
    slave_copies,
    slave_frames,
    slave_restarts,
    slave_strangers,
)

MASTER_CASES: tuple[Case, ...] = (
    *master_transfer.CASES,
    *master_answers.CASES,
    *master_reading.CASES,
    *master_restarts.CASES,
    *master_retention.CASES,
    *master_strangers.CASES,
)
SLAVE_CASES: tuple[Case, ...] = (
    *slave_frames.CASES,
    *slave_restarts.CASES,
    *slave_copies.CASES,
    *slave_strangers.CASES,
)
