"""The short answer about one broker group: rows, actions, and open questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from properties.restrictions.evidence import find_unevidenced, is_table_current
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.scenarios.analysis.group import AnalyseLog, GroupAnalysis
from properties.scenarios.analysis.log import compute_structure
from properties.scenarios.analysis.reading import ReadingQuestion, decide_reading
from properties.scenarios.summary.actions import (
    Switch,
    SwitchedGroup,
    choose_actions,
    load_actions,
)
from properties.scenarios.summary.answer import Summary
from properties.scenarios.summary.rows import judge_rows
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.reading.world import ClaimedReading
from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.configuration.deployments import assume_slaves, change_master, change_slaves
from reference.configuration.later_keys import (
    ALL_ACK,
    LATER_KEYS,
    MIN_IN_SYNC_REPLICAS,
    is_known_in,
)


def summarise(analysis: GroupAnalysis, analyse_log: AnalyseLog) -> Summary:
    """The short answer about a group; ``analyse_log`` is asked about other settings.

    Raises InternalDisagreementError for a certificate that does not hold.
    """
    group, question, log = analysis.group, analysis.question, analysis.log
    settings = describe_settings(group)
    if question.is_from_first:
        settings["consumeFromWhere"] = "CONSUME_FROM_FIRST_OFFSET"
    if log.outside_the_model:
        return Summary(len(group.slaves), settings, outside=log.outside_the_model)
    sources = analysis.summarised
    log_structure = compute_structure(group)
    rows = judge_rows(log_structure, sources, is_slave_acting=group.has_acting_slave)
    values = {
        key: group.master.get(key) for each in load_actions().precautions for key in each.keys
    }
    alternatives = list_alternatives(group, question, analyse_log)
    actions = choose_actions(sources, rows, alternatives, values)
    weighed = [weigh(source) for source in sources]
    return Summary(
        len(group.slaves),
        settings,
        rows,
        actions,
        resting=sum(resting for resting, _ in weighed),
        unweighed=sum(unknown for _, unknown in weighed),
        gave_up=tuple(dict.fromkeys(v.gave_up for s in sources for v in s.verdicts if v.gave_up)),
    )


def describe_settings(group: BrokerGroup) -> dict[str, str]:
    """The settings that decide most; default values only for settings that every group has."""
    master = group.master
    found = {"brokerRole": master.role.name, "flushDiskType": master.flush_disk_type.name}
    for key in ("transientStorePoolEnable", "slaveReadEnable"):
        if master.get(key):
            found[key] = "true"
    if group.is_controlled:
        found[ALL_ACK] = "false" if group.is_answered_alone else "true"
        found |= {MIN_IN_SYNC_REPLICAS: "2"} if group.is_refusing_alone else {}
    return found


def weigh(source: Analysis) -> tuple[int, int]:
    """How many proved verdicts depend on behaviour not observed on a real broker.

    And of how many that is unknown, though the table of restrictions should say it.
    """
    proved = [v for v in source.verdicts if v.word is VerdictWord.PROVED and not v.is_vacuous]
    if not is_table_current(source.structure):
        return 0, len(proved)
    found = (find_unevidenced(source.structure, v.guarantee, v.fault) for v in proved)
    return sum(map(bool, found)), 0


def list_alternatives(
    group: BrokerGroup, question: ReadingQuestion, analyse_log: AnalyseLog
) -> Iterator[SwitchedGroup]:
    """The group with each switch that would change it, by existing certificates."""
    for switch in load_actions().switches:
        if bool(group.slaves) if switch.adds_slaves else switch.needs_slaves > bool(group.slaves):
            continue
        if not (is_read(switch, group) and is_for(switch, group)):
            continue
        if switch.of == "consumers":
            if not question.is_from_first:
                yield make_alternative(switch, group, question, analyse_log)
            continue
        changed = apply_switch(switch, group)
        is_known = not changed.outside_the_model() and find_cells(compute_structure(changed))
        if changed != group and is_known:
            yield make_alternative(switch, changed, question, analyse_log)


def is_read(switch: Switch, group: BrokerGroup) -> bool:
    """The group's release has the key: every release, or those since which it exists."""
    return switch.key not in LATER_KEYS or is_known_in(switch.key, group.version)


def is_for(switch: Switch, group: BrokerGroup) -> bool:
    """With a controller the key is set on every broker, or is not the master's alone."""
    if group.is_controlled:
        return switch.has_controller or switch.of != "master"
    return not switch.has_controller


def apply_switch(switch: Switch, group: BrokerGroup) -> BrokerGroup:
    """The group with another value of a key; the same group if it has that value."""
    brokers = {
        "master": (group.master,),
        "slaves": group.slaves,
        "brokers": (group.master, *group.slaves),
    }.get(switch.of, ())
    if brokers and all(say_effective(b, switch.key) == switch.value for b in brokers):
        return group
    if switch.adds_slaves:
        group = assume_slaves(group, switch.adds_slaves)
    if group.master in brokers:
        group = change_master(group, switch.key, switch.value)
    if switch.of in ("slaves", "brokers"):
        group = change_slaves(group, switch.key, switch.value)
    return group


def say_effective(broker: BrokerConfiguration, key: str) -> str:
    """The value of a key in force; of one that 4.4.0 lacks what the file has, else nothing."""
    if key in LATER_KEYS:
        setting = broker.find_setting(key)
        return setting.value.strip() if setting else ""
    return say_value(broker.get(key))


def say_value(value: Any) -> str:
    """A value as in a broker's file."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(getattr(value, "name", value))


def make_alternative(
    switch: Switch, group: BrokerGroup, question: ReadingQuestion, analyse_log: AnalyseLog
) -> SwitchedGroup:
    """A changed group with its verdicts, those of its log from their certificate.

    Without one they are decided now, and so are those of a group without slaves: no certificate
    records which proofs are vacuous.
    """
    log = compute_structure(group)
    cells = tuple(find_cells(log).values()) if group.slaves else ()
    decided = Analysis(log, leave_open_unmet(group, log, cells)) if cells else analyse_log(group)
    is_from_first = question.is_from_first or switch.of == "consumers"
    asked = evolve(question, is_from_first=is_from_first)
    analysis = GroupAnalysis(group, asked, decided, look_up_reading)
    return SwitchedGroup(switch, log, analysis.summarised)


def look_up_reading(structure: ClaimedReading) -> tuple[Verdict, ...]:
    """The verdicts of consumers from their certificate, or where there is none decided now."""
    return tuple(find_cells(structure).values()) or decide_reading(structure)
