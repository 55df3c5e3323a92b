"""How likely each rule is picked among the enabled ones of a random schedule, world by world.

With equal weights faults, stops and time-outs would strike in the first steps, and the followed
message would be put before anything is wrong. A world registers its weights for the class of its
structures; a rule without a weight is an error, so that nobody forgets to think about a new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from attrs import frozen

from reference.consumption.rules import CONSUMPTION_RULES
from reference.consumption.structure import ConsumptionStructure
from reference.delay.rules import DELAY_RULES
from reference.delay.structure import DelayStructure
from reference.machine import RULES
from reference.structure import Structure
from reference.tables.rules import TABLES_RULES
from reference.tables.structure import TablesStructure

USUAL_WEIGHT = 32


@frozen
class Weights:
    """The weights of the rules of one world."""

    rare: Mapping[str, int]
    """Rules that are picked less often than others, with a positive weight each."""
    usual: tuple[str, ...]
    """The other rules; each has USUAL_WEIGHT."""

    def get(self, rule: str) -> int:
        """The weight of a rule. Raises KeyError for a rule that has none."""
        return USUAL_WEIGHT if rule in self.usual else self.rare[rule]


@singledispatch
def get_weights(structure: Any) -> Weights:
    """The weights of a structure's rules. Raises TypeError for a world that registered none."""
    raise TypeError(f"the rules of {type(structure).__name__} have no weights")


REPLICATION_WEIGHTS = Weights(
    rare={
        **{name: 1 for name, rule in RULES.items() if rule.is_fault},
        "append_message": 4,
        "append_other_message": 8,
        "fill_file": 4,
        "flush_master": 4,
        "flush_slave": 4,
        "dispatch_master": 4,
        "dispatch_slave": 4,
        "expire_master_file": 1,
        "expire_uncopied_master_file": 1,
        "expire_slave_file": 1,
        "refuse_put": 1,
        "time_out_disk_wait": 1,
        "time_out_slave_wait": 1,
        "give_up_send": 1,
        "close_idle_connection": 1,
        "begin_master_stop": 1,
        "begin_slave_stop": 1,
        "switch_master_role": 1,
    },
    usual=(
        "flush_for_put",
        "answer_disk_wait",
        "give_up_disk_wait",
        "skip_slave_wait",
        "refuse_slave_wait",
        "request_slave_wait",
        "wait_one_second",
        "answer_slave_wait",
        "give_up_slave_wait",
        "send_again",
        "connect_slave",
        "drop_connection",
        "report_offset",
        "receive_report",
        "position_transfer",
        "position_at_last_file",
        "transfer_batch",
        "create_first_file",
        "append_to_slave",
        "append_at_wrong_offset",
        "refuse_frame",
        "discard_frame",
        "finish_master_stop",
        "restart_master",
        "restart_master_without_blank",
        "finish_slave_stop",
        "restart_slave",
        # Of variants.
        "refuse_report",
        "refuse_later_report",
        "enter_sync_state_set",
        "leave_sync_state_set",
        "elect_slave",
    ),
)

CONSUMPTION_WEIGHTS = Weights(
    rare={
        **{name: 1 for name, rule in CONSUMPTION_RULES.items() if rule.is_fault},
        "put_message": 8,
        "expire_message_on_master": 1,
        "expire_message_on_slave": 1,
        "stop_master": 1,
        "stop_slave": 1,
        "stop_consumer": 4,
        "persist_progress_of_master": 8,
        "persist_progress_of_slave": 8,
        "synchronise_progress": 8,
        "refresh_route": 8,
    },
    usual=(
        "replicate_messages",
        "start_master",
        "start_slave",
        "list_master",
        "drop_master",
        "list_slave",
        "drop_slave",
        "learn_master",
        "send_progress_to_master",
        "send_progress_to_slave",
        "read_from_master",
        "read_from_slave",
        "correct_by_master",
        "correct_by_slave",
        "start_consumer",
        "begin_at_stored_progress",
        "begin_at_zero",
        "begin_at_end",
    ),
)


TABLES_WEIGHTS = Weights(
    rare={
        **{name: 1 for name, rule in TABLES_RULES.items() if rule.is_fault},
        "change_on_master": 4,
        "change_on_slave": 4,
        "answer_creation": 8,
        "create_entry": 8,
        "delete_entry": 2,
        "give_up_copy": 4,
        "learn_master": 8,
        "list_master": 4,
        "stop_broker": 2,
        "start_in_other_role": 16,
        "switch_role": 1,
    },
    usual=(
        "finish_change",
        "begin_copy",
        "finish_answer",
        "leave_table",
        "take_version",
        "clear_table",
        "fill_table",
        "drop_master",
        "start_broker",
    ),
)

DELAY_WEIGHTS = Weights(
    rare={
        **{name: 1 for name, rule in DELAY_RULES.items() if rule.is_fault},
        "put_delayed_message": 8,
        "persist_progress": 8,
        "copy_progress": 8,
        "stop_broker": 1,
        "restart_slave": 1,
        "promote_slave": 8,
    },
    usual=(
        "deliver_message",
        "note_progress",
        "replicate_delayed_message",
        "replicate_copy",
        "start_broker",
    ),
)


@get_weights.register
def _(structure: Structure) -> Weights:
    return REPLICATION_WEIGHTS


@get_weights.register
def _(structure: ConsumptionStructure) -> Weights:
    return CONSUMPTION_WEIGHTS


@get_weights.register
def _(structure: TablesStructure) -> Weights:
    return TABLES_WEIGHTS


@get_weights.register
def _(structure: DelayStructure) -> Weights:
    return DELAY_WEIGHTS
