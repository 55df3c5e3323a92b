"""A case: a schedule, and the headings of the book that a broker holds if it passes."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from brokers.conformance.acts import Act, CatchUp, Put, Restart, Start


@frozen
class Case:
    """One schedule for a broker that is empty at first."""

    name: str
    headings: tuple[str, ...]
    """``page.md#heading``: the rules that it holds the broker to."""
    acts: tuple[Act, ...]
    needs: Mapping[str, tuple[int, int]] = field(factory=dict)
    """Settings of the broker under test that have to lie between these two numbers."""
    own_settings: Mapping[str, str] = field(factory=dict)
    """Where the tester's own brokers differ from the one under test."""
    is_whole: bool = False
    """The broker under test is recorded as a whole one, by its answers to clients only."""
    words: Mapping[str, str] = field(factory=dict)
    """Settings that it has to have exactly so."""
    is_master_tested: bool = True
    """The tester plays slaves and producers; else it plays the master."""

    def __str__(self) -> str:
        return self.name

    @property
    def restarts(self) -> bool:
        """The broker under test is killed and started again."""
        return any(isinstance(act, Restart) for act in self.acts)


SLAVE_JOINS: tuple[Act, ...] = (Start("slave1"), CatchUp())
"""The tester's slave connects, and has what the master under test has."""
MASTER_JOINS: tuple[Act, ...] = (Start("master"), CatchUp())
"""The tester's master is there, and the slave under test has what it has."""
SYNC_FLUSH = {"flushDiskType": "SYNC_FLUSH"}
"""A put waits for the disk."""
SMALL_FILES = {"mapedFileSizeCommitLog": (4096, 16384)}
"""A few messages fill a file."""


def slave_case(
    name: str,
    headings: tuple[str, ...],
    *acts: Act,
    own_settings: Mapping[str, str] | None = None,
    needs: Mapping[str, tuple[int, int]] | None = None,
) -> Case:
    """A case for a slave; it ends when the slave has what was put."""
    if isinstance(acts[-1], Put):
        acts = (*acts, CatchUp())
    return Case(name, headings, acts, needs or {}, own_settings or {}, is_master_tested=False)


def master_case(
    name: str,
    headings: tuple[str, ...],
    *acts: Act,
    own_settings: Mapping[str, str] | None = None,
    needs: Mapping[str, tuple[int, int]] | None = None,
    words: Mapping[str, str] | None = None,
) -> Case:
    """A case for a master."""
    return Case(name, headings, acts, needs or {}, own_settings or {}, words=words or {})


def reading_case(
    name: str,
    headings: tuple[str, ...],
    *acts: Act,
    needs: Mapping[str, tuple[int, int]] | None = None,
    words: Mapping[str, str] | None = None,
) -> Case:
    """A case for a master that takes consumers."""
    return Case(name, headings, acts, needs or {}, words=words or {}, is_whole=True)


def copying_case(
    name: str,
    headings: tuple[str, ...],
    *acts: Act,
    needs: Mapping[str, tuple[int, int]] | None = None,
) -> Case:
    """A case for a slave that copies tables and takes clients."""
    return Case(name, headings, acts, needs or {}, is_whole=True, is_master_tested=False)
