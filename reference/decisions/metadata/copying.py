"""A slave copies its master's tables: four steps, each of which may fail separately.

The copy has two forms: that of 4.4.0, and that of 4.5.0 to 4.9.8, which some texts quote.
Source: SlaveSynchronize#syncAll and AdminBrokerProcessor of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import evolve, frozen

from reference.decisions.metadata.broker_tables import BrokerTables, VersionedTable
from reference.decisions.progress.offset_table import OffsetTable
from reference.releases.releases import is_since


@frozen
class CopyForm:
    """When a slave copies, and from which broker."""

    first_ms: int
    """From the start of the schedule to the first copy."""
    period_ms: int
    """From one copy to the next."""
    request_timeout_ms: int
    """The timeout of each of the four requests (R-MS-04)."""
    is_own_address_checked: bool
    """A step is skipped if the master's address is the broker's own (V-02)."""
    is_restarted_by_role_change: bool
    """A change of role at run time forgets the master, and starts or ends the schedule (V-01)."""

    def compute_copy_ms(self, number: int) -> int:
        """When a copy is due, counted from the start of the schedule; the first one is 0."""
        return self.first_ms + number * self.period_ms


FORM_4_4_0 = CopyForm(
    first_ms=10_000,
    period_ms=60_000,
    request_timeout_ms=3_000,
    is_own_address_checked=False,
    is_restarted_by_role_change=False,
)
"""R-MS-01, R-MS-03: scheduled in BrokerController#initialize."""

FORM_4_5_0 = CopyForm(
    first_ms=3_000,
    period_ms=10_000,
    request_timeout_ms=3_000,
    is_own_address_checked=True,
    is_restarted_by_role_change=True,
)
"""V-01, V-02: scheduled in BrokerController#handleSlaveSynchronize."""


def choose_form(release: str) -> CopyForm:
    """The form of a release: 4.5.0 itself still copies as 4.4.0 does (V-01)."""
    return FORM_4_5_0 if is_since(release, "4.5.1") else FORM_4_4_0


NOT_COPIED = (
    "consumerFilter.json",
    "client registrations",
    "consume queues",
    "index",
    "checkpoint",
    "name server KV",
    "ACL file",
)
"""Data that no step copies (R-MS-10)."""


Step: TypeAlias = Callable[[BrokerTables, BrokerTables], Iterator[BrokerTables]]
"""The slave's tables at each instant of a step, the last one being its outcome; empty if there is
nothing to do."""


def is_version_equal(slave: VersionedTable[Any], master: VersionedTable[Any]) -> bool:
    """Both tables have the same version, so nothing is copied (R-MS-05, R-MS-08)."""
    return slave.version == master.version


def is_master_known(slave: BrokerTables) -> bool:
    """The name server has sent the master's address (R-MS-03)."""
    return slave.master_address is not None


def is_master_itself(slave: BrokerTables, own_address: str | None) -> bool:
    """The address is the broker's own; 4.4.0 does not check (R-MS-03)."""
    return slave.master_address == own_address


def is_content_empty(content: str) -> bool:
    """The master answers SYSTEM_ERROR (R-MS-12).

    The text is empty, not the table: an empty table is written as ``{"offsetTable":{}}``.
    """
    return not content


def replace_table(
    slave: VersionedTable[Any], master: VersionedTable[Any]
) -> Iterator[VersionedTable[Any]]:
    """Version, then empty, then full (R-MS-05): readers may see the states in between."""
    yield VersionedTable(master.version, slave.entries)
    yield VersionedTable(master.version, {})
    yield VersionedTable(master.version, dict(master.entries))


def copy_topics(slave: BrokerTables, master: BrokerTables) -> Iterator[BrokerTables]:
    """SlaveSynchronize#syncTopicConfig (R-MS-05)."""
    if not is_version_equal(slave.topics, master.topics):
        for table in replace_table(slave.topics, master.topics):
            yield evolve(slave, topics=table)


def merge_offsets(slave: OffsetTable, master: OffsetTable) -> OffsetTable:
    """The master's keys replace the slave's, with all their queues; other keys stay (R-MS-06)."""
    return {**slave, **master}


def merge_larger_offsets(one: OffsetTable, other: OffsetTable) -> OffsetTable:
    """Users' alternative (issue 1094): in each queue the larger progress of the two.

    No release does it. Progress that was deliberately set back would be raised again.
    """
    return {
        key: {
            queue: max(table[key][queue] for table in (one, other) if queue in table.get(key, {}))
            for queue in {**one.get(key, {}), **other.get(key, {})}
        }
        for key in {**one, **other}
    }


def copy_offsets(slave: BrokerTables, master: BrokerTables) -> Iterator[BrokerTables]:
    """SlaveSynchronize#syncConsumerOffset (R-MS-06): memory first, then the file."""
    yield (slave := evolve(slave, offsets=merge_offsets(slave.offsets, master.offsets)))
    yield slave.persist_offsets()


def copy_delay(slave: BrokerTables, master: BrokerTables) -> Iterator[BrokerTables]:
    """SlaveSynchronize#syncDelayOffset (R-MS-07): the file only."""
    yield evolve(slave, delay_file=dict(master.delay_offsets))


def copy_groups(slave: BrokerTables, master: BrokerTables) -> Iterator[BrokerTables]:
    """SlaveSynchronize#syncSubscriptionGroupConfig (R-MS-08)."""
    if not is_version_equal(slave.groups, master.groups):
        for table in replace_table(slave.groups, master.groups):
            yield evolve(slave, groups=table)


STEPS: Mapping[str, Step] = {
    "topics": copy_topics,
    "progress": copy_offsets,
    "delay": copy_delay,
    "groups": copy_groups,
}
"""The steps in their order (R-MS-02)."""

REQUEST_CODES: Mapping[str, int] = {"topics": 21, "progress": 43, "delay": 45, "groups": 201}
"""The request of each step (R-MS-04); that of topics goes to the VIP port."""


def is_skipped(slave: BrokerTables, form: CopyForm, own_address: str | None) -> bool:
    """A step does nothing: there is no master to ask."""
    is_own = form.is_own_address_checked and is_master_itself(slave, own_address)
    return is_own or not is_master_known(slave)


def list_instants(
    slave: BrokerTables,
    master: BrokerTables | None,
    *,
    failing: Collection[str] = (),
    form: CopyForm = FORM_4_4_0,
    own_address: str | None = None,
) -> Iterator[BrokerTables]:
    """The slave's tables before a copy and after each of its instants.

    ``failing`` are steps whose request fails; each is logged, and the next one still follows
    (R-MS-02). A master of None gives no answer.
    """
    yield slave
    if is_skipped(slave, form, own_address) or master is None:
        return
    for name, step in STEPS.items():
        instants = list(step(slave, master)) if name not in failing else []
        yield from instants
        slave = instants[-1] if instants else slave


def sync_all(
    slave: BrokerTables,
    master: BrokerTables | None,
    *,
    failing: Collection[str] = (),
    form: CopyForm = FORM_4_4_0,
    own_address: str | None = None,
) -> BrokerTables:
    """The slave's tables after a copy (SlaveSynchronize#syncAll)."""
    instants = list_instants(slave, master, failing=failing, form=form, own_address=own_address)
    return list(instants)[-1]


def compute_worst_ms(form: CopyForm = FORM_4_4_0) -> int:
    """How long a copy may occupy the thread that also registers and persists (R-MS-04).

    In milliseconds, without the time for connecting.
    """
    return len(STEPS) * form.request_timeout_ms
