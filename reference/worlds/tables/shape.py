"""The kind of a copied table, and the form of RocketMQ: what never changes."""

from __future__ import annotations

from attrs import field, frozen

from reference.language.structure import LATER, BaseStructure


@frozen(cache_hash=True)
class TablesShape(BaseStructure):
    """The kind of table, and the form of RocketMQ.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    is_version_kept: bool = True
    """The file includes the version. This is so for topics, not for subscription groups
    (SubscriptionGroupManager#decode)."""
    is_answered_first: bool = True
    """An administrator who creates an entry is answered before it is created. This is so for topics
    (AdminBrokerProcessor#updateAndCreateTopic), not for groups."""
    has_role_switch: bool = False
    """A broker may change its role while it runs, as from 4.5.0 on (V-01)."""
    is_own_address_checked: bool = False
    """No broker copies from its own address, as from 4.5.0 on (V-02); 4.4.0 has no check
    (R-MS-03)."""
    is_table_written_first: bool = False
    """An answer has the table before the version. RocketMQ's JSON library sorts fields by name, so
    ``dataVersion`` comes first, until 5.3.4: there a page of the table is copied, and its version
    is written later (TopicConfigManager#subTopicConfigTable)."""
    is_reconciled: bool = field(default=False, metadata={LATER: True})
    """A copy removes what the master lacks and puts the rest, without an empty instant: topics from
    5.1.1 to 5.3.1, topics and groups from 5.5.0 on (V-46)."""
    is_remade: bool = field(default=False, metadata={LATER: True})
    """A copy deletes and makes every entry, and with them versions of the slave's own: 5.3.2 to
    5.4.0 (issue 9777)."""

    @property
    def name(self) -> str:
        """Short name, for example ``tables/topics/4.4.0``."""
        if self.is_remade or (self.is_reconciled and self.is_table_written_first):
            return f"tables/both/{self._first_release}"
        table = "topics" if self.is_version_kept else "groups"
        if self.is_table_written_first:
            return f"tables/{table}/table before version"
        return f"tables/{table}/{self._first_release}"

    @property
    def _first_release(self) -> str:
        """The first release of this form, perhaps with what it lacks."""
        if self.is_remade:
            return "5.3.4" if self.is_table_written_first else "5.3.2"
        if self.is_reconciled:
            return "5.5.0" if self.is_table_written_first else "5.1.1"
        if not self.has_role_switch:
            return "4.4.0"
        if self.is_version_kept and not self.is_answered_first:
            return "4.7.1"
        return f"4.5.0{'' if self.is_own_address_checked else ' unchecked address'}"
