"""Wire mutants: brokers of our own that each do one thing otherwise, made to be caught.

A mutant is another class for one of a broker's parts (``brokers.broker.parts``), or another
answer to a kind of request. Each is there to be noticed by whoever holds a broker against the
model; nothing else in this program uses one.
"""

from brokers.broker.mutants import (
    answers,
    copies,
    frames,
    heartbeats,
    positions,
    pulls,
    puts,
    quorums,
    reports,
    silence,
    slave_frames,
    slave_reports,
    stores,
    waits,
)
from brokers.broker.mutants.mutant import MUTANTS, Mutant, UnknownMutantError, find_mutant

FAMILIES = (
    silence,
    positions,
    heartbeats,
    frames,
    reports,
    puts,
    waits,
    quorums,
    stores,
    slave_reports,
    slave_frames,
    copies,
    answers,
    pulls,
)
"""The modules that make them."""

__all__ = ["FAMILIES", "MUTANTS", "Mutant", "UnknownMutantError", "find_mutant"]
