"""The slices of a reimplementation of the broker, and its likely mistakes.

Vectors judge both: a slice by those that need no rule of a later one, a mistake by those that
it changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import Any

from attrs import evolve, field, frozen

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import list_mutants
from properties.mutants.execution import make_mistake
from properties.schedules.judgement import take_steps
from properties.vectors.schedules import find_forbidden_step, list_scenarios
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action, compute_machine


@frozen
class Slice:
    """What is built at one go, and can be tested when it is there."""

    title: str
    rules: tuple[str, ...]
    recordings: tuple[str, ...] = ()
    """Those that refuse most mistakes in these rules, three at most; measured with the mutants."""


SLICES = (
    Slice(
        "The log",
        (
            "create_master_file",
            "fill_file",
            "append_message",
            "append_other_message",
            "dispatch_master",
        ),
        ("b_sync_no_slave", "m_master_kill9_page_cache", "l_wait_store_false"),
    ),
    Slice(
        "Flushing",
        ("flush_master", "flush_master_too_few_pages", "swallow_flush_error"),
        ("b2_slave_node_rejects_put",),
    ),
    Slice(
        "Puts without a slave",
        (
            "refuse_put",
            "flush_for_put",
            "answer_disk_wait",
            "give_up_disk_wait",
            "time_out_disk_wait",
            "skip_slave_wait",
            "refuse_slave_wait",
            "give_up_send",
            "send_again",
        ),
        ("b_sync_no_slave", "o_sync_flush_rollover", "l_wait_store_false"),
    ),
    Slice(
        "Connections and reports",
        (
            "connect_slave",
            "report_offset",
            "report_offset_to_earlier_put",
            "receive_report",
            "close_idle_connection",
            "drop_connection",
            "cut_link",
            "send_alien_report",
        ),
        ("l_wait_store_false", "b2_slave_node_rejects_put", "s_idle_500_3000"),
    ),
    Slice(
        "Position and transfer",
        (
            "position_transfer",
            "position_at_last_file",
            "transfer_batch",
            "create_slave_file",
            "append_to_slave",
            "append_at_wrong_offset",
            "refuse_frame",
            "discard_frame",
            "fail_file_creation",
            "swallow_append_error",
            "flush_slave",
            "flush_slave_too_few_pages",
            "dispatch_slave",
        ),
        (
            "l_wait_store_false",
            "g_new_slave_joins_old_master",
            "u4_rollover_while_slave_joins_default_timers",
        ),
    ),
    Slice(
        "Acknowledgements",
        (
            "request_slave_wait",
            "wait_one_second",
            "answer_slave_wait",
            "give_up_slave_wait",
            "time_out_slave_wait",
        ),
        ("d2_fallbehind_exact", "big_message_acks", "l_wait_store_false"),
    ),
    Slice(
        "Stops, ends and recovery",
        (
            "begin_master_stop",
            "finish_master_stop",
            "restart_master",
            "restart_master_without_blank",
            "restart_master_behind_blank",
            "restart_master_with_stale_bytes",
            "begin_slave_stop",
            "finish_slave_stop",
            "restart_slave",
            "restart_slave_beyond_received",
            "restart_slave_with_stale_bytes",
            "switch_master_role",
            "kill_master",
            "kill_slave",
            "lose_master_power",
            "lose_master_power_in_record",
            "lose_slave_power",
            "lose_master_disk",
            "wipe_slave",
        ),
        ("h_slave_ahead_master_empty", "r_random_seed1", "p_slave_behind_master_min"),
    ),
    Slice(
        "Retention",
        (
            "expire_master_file",
            "expire_uncopied_master_file",
            "expire_slave_file",
            "delete_young_master_file",
            "delete_young_slave_file",
        ),
    ),
)
"""Every rule of replication once, in the order of building."""

JUDGED = tuple(
    f"{role}/{flush}/{slaves}"
    for slaves in ("0 slaves", "1 slave")
    for role in ("ASYNC_MASTER", "SYNC_MASTER")
    for flush in ("ASYNC_FLUSH", "SYNC_FLUSH")
)
"""The structures whose vectors judge: more slaves take over schedules of these."""


@frozen
class Judge:
    """A vector with what makes it again."""

    name: str
    structure: ClaimedGroup
    schedule: tuple[Action, ...] = field(repr=False)
    states: tuple[Any, ...] = field(repr=False)
    """The states before and after each step; a refused step leaves the state as it is."""
    is_valid: bool
    """No step is refused; else the last one is."""

    @property
    def rules(self) -> frozenset[str]:
        """The rules that it needs, that of a refused step too."""
        return frozenset(action.rule_name for action in self.schedule)

    def notices(self, structure: ClaimedStructure, rule: str = "") -> bool:
        """A step or a value changes with the present rules of this structure.

        ``rule``: the only one that may differ from the true ones; "" if any may.
        """
        machine = compute_machine(structure)
        if any(action.instance not in machine.instances for action in self.schedule):
            return True
        for number, action in enumerate(self.schedule):
            if rule in ("", action.rule_name):
                before, after = (evolve(s, structure=structure) for s in self.states[number:][:2])
                outcome = machine.step(before, action)
                is_refused = not self.is_valid and number == len(self.schedule) - 1
                if outcome.is_refused is not is_refused or outcome.cluster != after:
                    return True
        return False


@cache
def list_judges() -> tuple[Judge, ...]:
    """Every vector of the judged structures that has a step, made by the true rules."""
    return tuple(judge for name in JUDGED for judge in _list_of(CERTIFIED_BY_NAME[name]))


def _list_of(structure: ClaimedGroup) -> Iterator[Judge]:
    for name, parameters, schedule in list_scenarios(structure):
        forbidden = find_forbidden_step(structure, parameters, schedule)
        trials = [schedule] if forbidden is None else [schedule, (*schedule, forbidden)]
        for trial in trials:
            if trial:
                taken = take_steps(structure, parameters, trial)
                states = (structure.make_initial(parameters), *(o.cluster for _, o in taken))
                yield Judge(name, structure, trial, states, trial is schedule)


def list_first_judges(position: int) -> list[Judge]:
    """The vectors that need this slice, by its place in ``SLICES``, and no later one."""
    known = {rule for each in SLICES[: position + 1] for rule in each.rules}
    own = set(SLICES[position].rules)
    return [judge for judge in list_judges() if judge.rules <= known and judge.rules & own]


@frozen
class Mistake:
    """A mistake of a reimplementation: a rule with a mistake, or a variant of the rules."""

    text: str
    """In an engineer's words, after "it"."""
    mutant: str = ""
    """The name of the rule's mutant."""
    variant: str = ""
    lemma: str = ""
    """The first sanity check or lemma that the mutant breaks; a test judges it again."""
    refused_by: str = ""
    """The first recording of those judged that refuses the mutant."""
    refused_seq: int = 0
    """Where it does."""

    @contextlib.contextmanager
    def make(self) -> Iterator[None]:
        """Inside, the rule has the mistake; nothing changes for a variant."""
        if not self.mutant:
            yield
            return
        rule = self.mutant.partition(":")[0]
        mutant = next(m for m in list_mutants("replication", (rule,)) if m.name == self.mutant)
        with make_mistake(mutant):
            yield


@cache
def list_noticing(mistake: Mistake) -> tuple[Judge, ...]:
    """The vectors that the mistake changes."""
    rule = mistake.mutant.partition(":")[0]
    asked = [judge for judge in list_judges() if not rule or rule in judge.rules]
    variants = (mistake.variant,) if mistake.variant else ()
    with mistake.make():
        return tuple(j for j in asked if j.notices(evolve(j.structure, variants=variants), rule))


@frozen
class Point:
    """A point that is easily built differently from RocketMQ."""

    name: str
    """Of its generated part in the chapter."""
    rules: tuple[str, ...]
    mistake: Mistake


POINTS = (
    Point(
        "position once",
        ("report_offset", "position_transfer"),
        Mistake(
            "decides the position again at a later report",
            mutant="position_transfer: is_not_positioned, condition dropped",
            lemma="frame_in_step_is_where_the_log_ends",
            refused_by="l_wait_store_false",
            refused_seq=26,
        ),
    ),
    Point(
        "counted at once",
        ("connect_slave",),
        Mistake(
            "counts no connection when it is accepted",
            mutant="connect_slave: master.connection_count, effect omitted",
            lemma="connections_are_counted",
            refused_by="l_wait_store_false",
            refused_seq=22,
        ),
    ),
    Point(
        "report believed",
        ("receive_report", "send_alien_report"),
        Mistake("refuses a report above its own end", variant="report_capped"),
    ),
    Point(
        "one maximum",
        ("receive_report", "refuse_slave_wait"),
        Mistake(
            "uses the reports of each open connection separately", variant="ack_per_connection"
        ),
    ),
    Point(
        "zero is the last file",
        ("position_at_last_file",),
        Mistake("sends everything to a slave that asks for 0", variant="full_log_transfer"),
    ),
    Point(
        "heartbeat makes a file",
        ("create_slave_file",),
        Mistake(
            "creates no file for a frame without bytes",
            mutant="create_slave_file: slaves.log.has_file, effect omitted",
            lemma="log_ends_in_last_file",
        ),
    ),
    Point(
        "batches are bytes",
        ("transfer_batch", "append_to_slave"),
        Mistake(
            "sends less than it could, up to the end of file or batch",
            mutant="transfer_batch: size_bytes.high, range narrower by one",
            refused_by="l_wait_store_false",
            refused_seq=25,
        ),
    ),
    Point(
        "appended is reported",
        ("append_to_slave", "flush_slave"),
        Mistake(
            "does not report an append at once",
            mutant="append_to_slave: links.reported_offset, effect omitted",
            lemma="open_link_has_living_ends",
            refused_by="l_wait_store_false",
            refused_seq=26,
        ),
    ),
    Point(
        "too far is strict",
        ("refuse_slave_wait", "request_slave_wait"),
        Mistake(
            "waits at a difference of exactly haSlaveFallbehindMax",
            mutant="refuse_slave_wait: is_slave_not_ok, strictness flipped: "
            "((messages.end_offset - master.push2_slave_ma...",
            refused_by="d2_fallbehind_exact",
            refused_seq=40,
        ),
    ),
    Point(
        "equal is enough",
        ("answer_slave_wait",),
        Mistake(
            "requires a report beyond the end of the message",
            mutant="answer_slave_wait: is_reported, strictness flipped: "
            "(messages.end_offset <= master.push2_slave_ma...",
            refused_by="l_wait_store_false",
            refused_seq=27,
        ),
    ),
    Point(
        "five wake-ups",
        ("wait_one_second", "give_up_slave_wait", "time_out_slave_wait"),
        Mistake("waits until a deadline only", variant="wait_until_deadline"),
    ),
    Point(
        "wait is false",
        ("skip_slave_wait",),
        Mistake(
            "skips the slave for puts that wait, and for no others",
            mutant="skip_slave_wait: has_no_slave_wait, condition negated",
            lemma="acknowledged_by_sync_master_in_first_life_is_received",
            refused_by="b_sync_no_slave",
            refused_seq=14,
        ),
    ),
    Point(
        "dispatched before flushed",
        ("dispatch_master", "dispatch_slave"),
        Mistake("shows consumers flushed messages only", variant="dispatch_flushed"),
    ),
    Point(
        "blank is cut",
        ("fill_file", "restart_master_without_blank"),
        Mistake("keeps a blank at the end of the last file", variant="blank_kept"),
    ),
    Point(
        "retention asks nobody",
        ("expire_uncopied_master_file",),
        Mistake(
            "keeps a file that a slave lacks",
            mutant="expire_uncopied_master_file: master.log.start_offset, effect omitted",
            refused_by="p_slave_behind_master_min",
            refused_seq=72,
        ),
    ),
)
"""In the order of the chapter."""
