"""From a broker group's configuration to the guarantees of its log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
from attrs import evolve

from properties.checkout import name_page
from properties.restrictions.unmet_assumptions import leave_open_unmet
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts import certificates
from properties.verdicts.analysis import Analysis
from properties.verdicts.fault_sets.search import find_refutations
from properties.verdicts.findings.disputes import mark_disputed
from properties.verdicts.remembering import remember
from properties.verdicts.renewal import derive
from properties.verdicts.verdict import (
    Hints,
    Verdict,
    VerdictWord,
    search_structure,
)
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from reference.assumptions.register import list_changes
from reference.configuration.broker_group import BrokerGroup, ConfigurationError
from reference.releases.versions import RULE_SETS
from reference.worlds.replication.changes.controller_mode.settings.ack_by_master_alone import (
    ACK_BY_MASTER_ALONE,
)
from reference.worlds.replication.changes.controller_mode.settings.two_in_sync import TWO_IN_SYNC
from reference.worlds.replication.changes.settings.answered_by_those_in_sync import (
    ANSWERED_BY_THOSE_IN_SYNC,
)
from reference.worlds.replication.changes.settings.refused_without_slave import (
    REFUSED_WITHOUT_SLAVE,
)
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL
from reference.worlds.replication.parameters import SIZE_KEYS, SLAVES_MAX, Parameters, clip_sizes

MODEL_LIMITS = (
    "Every fault model of replication includes stops in order, restarts, rollover, retention, and "
    "idle connections that a broker closes by itself.",
    "A slave without a log that joins a master with more than one file is no failure, but has its "
    "own fault model (late join): it gets only the last file.",
    "With several slaves the schedules are those of one slave; no shorter ones were searched for.",
    "Faults happen any number of times, but the master loses power or disk at most twice.",
    "Consumers: one queue, one group, one consumer, in a world of their own beside replication; "
    "`rmqspec pull` shows the answer to a single pull. Liveness results assume that the consumer "
    "comes to rest; a consumer that may read the slave may be sent back and forth forever.",
    "Topics, subscription groups and delayed messages: one table or level, in worlds of their "
    "own. Their failures are not combined with others; those of brokers and consumers are, from "
    f"put to consumption, in {name_page('system.md')}. RocketMQ answers an administrator before it "
    "creates a topic, and may read a backup after a power loss; neither is in the tables.",
)
"""What you must know before you trust a verdict; printed with every table."""


def compute_structure(group: BrokerGroup) -> ClaimedGroup:
    """The static shape of a group, cut to the largest one that the model covers."""
    master = group.master
    slaves = min(len(group.slaves), SLAVES_MAX)
    changes = {
        STORE_POOL: group.has_store_pool,
        ACK_BY_MASTER_ALONE: group.is_answered_alone,
        TWO_IN_SYNC: group.is_refusing_alone,
        ANSWERED_BY_THOSE_IN_SYNC: group.is_answered_by_those_in_sync,
        REFUSED_WITHOUT_SLAVE: group.is_refused_without_slave,
    }
    settings = (*list_changes(group), *(name for name, is_set in changes.items() if is_set))
    shape = ClaimedGroup(master.role, master.flush_disk_type, slaves, variants=settings)
    return group.version.apply(shape)


def compute_parameters(group: BrokerGroup) -> Parameters:
    """Sizes and thresholds of a group's master.

    Raises ConfigurationError for a size below one byte: no real broker can run with it.
    """
    sizes: dict[str, Any] = {n: group.master.get_number(key) for n, key in SIZE_KEYS.items()}
    for name, key in SIZE_KEYS.items():
        if sizes[name] < 1 and name != "ha_slave_fallbehind_max_bytes":
            setting = group.master.find_setting(key)
            place = f"{setting.file}:{setting.line}" if setting else group.master.file
            raise ConfigurationError(f"{place}: {key} is {sizes[name]}; set it to at least 1 byte")
    return evolve(Parameters(), **sizes)


def analyse_log(
    group: BrokerGroup, on_progress: Callable[[str], None] = lambda text: None
) -> Analysis:
    """Decide every guarantee of a group under every fault model."""
    structure, parameters = compute_structure(group), compute_parameters(group)
    reasons = list(group.outside_the_model())
    if len(group.slaves) > SLAVES_MAX:
        reasons.append(f"{len(group.slaves)} slaves, the model covers up to {SLAVES_MAX}")
    if reasons:
        note = "outside the model"
        verdicts = [
            Verdict(g, c.name, VerdictWord.UNDECIDED, note=note)
            for g in CLAIMS
            for c in FAULT_MODELS
        ]
        return Analysis(structure, tuple(verdicts), outside_the_model=tuple(reasons))
    decided = remember(
        "group",
        (structure.name, parameters),
        lambda: decide(structure, parameters, on_progress),
    )
    ordered = order_by_guarantee(decided)
    return Analysis(structure, leave_open_unmet(group, structure, ordered))


def decide(
    structure: ClaimedGroup,
    parameters: Parameters,
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[Verdict, ...]:
    """Every verdict: by a certificate that is checked again, else by other schedules.

    Where settings have no certificate, one is made from that of the same group without them. Only
    claims that no known schedule refutes under these sizes are searched.
    """
    document = certificates.load(structure)
    base = next(filter(certificates.load, list_plainer(structure)), None)
    if document is None and base is not None:
        document = derive(structure, base, on_progress)
    sizes = clip_sizes(parameters)
    related = certificates.load_related(structure)
    if document is not None:
        verdicts = certificates.recheck(structure, parameters, document, on_progress)
        if not any(is_open_by_size(v) for v in verdicts):
            return verdicts
        fitting = (v for v in verdicts if v.word is VerdictWord.REFUTED)
        related = (*fitting, *related, *find_known_refutations(structure, sizes))
    found = search_structure(structure, on_progress, sizes=sizes, hints=Hints(related))
    rejudged = (certificates.rejudge(structure, parameters, v) for v in found)
    return mark_disputed(structure, rejudged)


def list_plainer(structure: ClaimedGroup) -> Iterator[ClaimedGroup]:
    """The same group of the same release, with ever fewer settings that change rules."""
    variants = structure.variants
    while variants and variants[0] not in RULE_SETS:
        variants = variants[1:]
        yield evolve(structure, variants=variants)


def is_open_by_size(verdict: Verdict) -> bool:
    """The verdict is open only because its schedule is impossible with these sizes.

    A verdict that the certificate itself leaves open was searched to the depth it states. One on
    which Z3 gave up is no matter of sizes.
    """
    is_open = verdict.word is VerdictWord.UNDECIDED and verdict.depth is None
    return is_open and not verdict.gave_up


def find_known_refutations(structure: ClaimedGroup, sizes: Parameters) -> tuple[Verdict, ...]:
    """What the schedules of all certificates, also of other claims, refute here."""
    refutations = find_refutations(structure, load_known_schedules(), sizes)
    return tuple(
        Verdict(name, fault_model.name, VerdictWord.REFUTED, schedule)
        for name, by_faults in refutations.items()
        for faults, schedule in by_faults.items()
        for fault_model in FAULT_MODELS
        if faults <= set(fault_model.admitted)
    )


def order_by_guarantee(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """The verdicts in the table's order."""
    guarantees, faults = list(CLAIMS), list(FAULT_MODEL_BY_NAME)
    return tuple(
        sorted(verdicts, key=lambda v: (guarantees.index(v.guarantee), faults.index(v.fault)))
    )


def describe_configuration(group: BrokerGroup) -> dict[str, str | int]:
    """The part of a group's configuration that decides its verdicts."""
    analysed = attrs.asdict(compute_parameters(group), recurse=False)
    return {
        "brokerRole": group.master.role.name,
        "flushDiskType": group.master.flush_disk_type.name,
        "slaves": len(group.slaves),
        **{key: analysed[name] for name, key in SIZE_KEYS.items()},
    }
