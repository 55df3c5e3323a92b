"""What may happen in a recording without an event of its own.

Faults and what people do are seen. Of puts and of commits some recordings tell nothing at all: then
they are hidden too; where a recording tells of any, it tells of all.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from reference.worlds.reading.state import MASTER, SLAVE

SEEN = ("fault", "operator", "administrator", "producer")
"""Who does nothing that would not be an event."""

LIVES = (
    *("restart_", "begin_master_stop", "begin_slave_stop"),
    *("finish_master_stop", "finish_slave_stop", "refuse_put"),
)
"""How the rules begin by which a broker starts, stops or refuses: that is seen too."""

BY_THEMSELVES = (
    "start_consumer",
    "delete_young_master_file",
    "delete_young_slave_file[0]",
)
"""What counts as done by one of these, and yet is no event: a tool that reads has no start, and a
broker deletes for want of space by itself."""

LAST_RESORTS = (
    "close_idle_connection",
    "delete_young_master_file",
    "delete_young_slave_file",
    "dispatch_slave_before_master",
    "dispatch_slave_in_vain",
    "position_at_last_file",
    "expire_uncopied_master_file",
    "expire_slave_file_first",
)
"""Circumstances that nobody saw: they are thought of only where nothing else helps."""

OF_PUTS = ("append_other_message", "fill_file")
"""The steps of a put that nobody follows."""

OF_FOLLOWED_PUT = "append_message[0]"
"""The step of the put that is followed."""

TABLES = tuple(f"reading.brokers.{broker}.progress" for broker in (MASTER, SLAVE))
"""The leaves that are progress in a broker's memory."""

PROGRESS_KEEPERS = ("synchronise_progress", "restart", "kill", "finish", "lose", "wipe")
"""Rules by which a broker's progress changes, and that are no commit of a consumer."""


@frozen
class Visibility:
    """What a recording tells of."""

    are_puts_seen: bool
    are_commits_seen: bool
    actors: Mapping[str, str] = field(repr=False)
    """By the name of an instance: who acts."""

    def is_hidden(self, name: str) -> bool:
        """An instance may fire at any time."""
        if name in BY_THEMSELVES:
            return True
        if name in (*OF_PUTS, OF_FOLLOWED_PUT):
            return not self.are_puts_seen
        if name == "stop_consumer":
            return not self.are_commits_seen
        return self.actors[name] not in SEEN and not name.startswith(LIVES)

    def is_last_resort(self, rule: str) -> bool:
        """It is thought of only where nothing else helps."""
        return rule in LAST_RESORTS
