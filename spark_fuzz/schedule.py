"""One schedule of a campaign: its identifier, and its replay in the reference."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import attrs
from attrs import evolve, field, frozen

from properties.certificates import compute_digest
from properties.judgement import JudgedStep, judge
from reference.machine import RULES, Action, compute_machine
from reference.roles import FlushDiskType, Role
from reference.state import initial_cluster
from reference.structure import (
    SLAVES_MAX,
    SMALL_PARAMETERS,
    FaultCounts,
    Parameters,
    Structure,
)
from spark_fuzz.scheduler import compute_schedule_key, draw, pick_argument, pick_weighted

SEED_MAX = 2**62
"""Campaign seeds are below this; so are schedule numbers."""
SCHEDULES_MAX = 10**12
"""The largest campaign."""
STEPS_MAX = 10_000
"""The longest schedule of a campaign."""

WEIGHTS: Mapping[str, int] = {
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
}
"""Weights of rules that are picked less often than others. With equal weights faults, stops and
time-outs would strike in the first steps, and the followed message would be put before anything is
wrong."""
WEIGHT_OTHERWISE = 32

CAMPAIGN_PARAMETERS: Parameters = evolve(
    SMALL_PARAMETERS,
    mapped_file_size_bytes=16,
    message_size_max_bytes=5,
    ha_slave_fallbehind_max_bytes=6,
    ghost_log_size_max_bytes=96,
)
"""Sizes of a campaign: files of a few bytes, so that every boundary is met often."""

DEFAULT_LIMITS = FaultCounts(
    *(0 if name == "role_switches" else 2 for name in attrs.fields_dict(FaultCounts))
)
"""Every fault twice, and nobody changes the role."""


class IdentifierError(ValueError):
    """Raised for a text that identifies no schedule; one line, with the form that is expected."""


@frozen
class CampaignOptions:
    """Everything that decides what a schedule does."""

    structure: Structure = field(factory=Structure)
    limits: FaultCounts = DEFAULT_LIMITS
    """How often each fault may strike in one schedule."""
    steps: int = field(default=64)
    """Steps of one schedule, 1 to 10000."""
    campaign_seed: int = 0
    """0 to 2**62 - 1."""

    @property
    def parameters(self) -> Parameters:
        """The sizes and fault limits of every schedule."""
        return evolve(CAMPAIGN_PARAMETERS, limits=self.limits)

    @property
    def structure_code(self) -> str:
        """The structure in an identifier, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
        s = self.structure
        return f"{s.role.name}-{s.flush_disk_type.name}-{s.slaves}"

    @property
    def limits_code(self) -> str:
        """The fault limits in an identifier: a number each, in the order of FaultCounts."""
        return ".".join(str(n) for n in attrs.astuple(self.limits))

    def format_identifier(self, schedule: int) -> str:
        """What ``rmqspec replay`` takes to replay one schedule; it ends in the rules' digest."""
        numbers = f"{self.limits_code}/{self.steps}/{self.campaign_seed}/{schedule}"
        return f"{self.structure_code}/{numbers}@{compute_rules_digest(self.structure)}"


def compute_rules_digest(structure: Structure) -> str:
    """A fingerprint of all that a schedule's number rests on: rules, weights, sizes."""
    text = f"{compute_digest(structure)} {dict(WEIGHTS)} {WEIGHT_OTHERWISE} {CAMPAIGN_PARAMETERS}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def compute_weight(rule: str) -> int:
    """How likely a rule is picked among the enabled ones: a positive number."""
    return WEIGHTS.get(rule, WEIGHT_OTHERWISE)


def parse_identifier(text: str) -> tuple[CampaignOptions, int]:
    """Options and schedule number of an identifier. Raises IdentifierError."""
    faults = len(attrs.fields_dict(FaultCounts))
    pattern = (
        rf"(ASYNC_MASTER|SYNC_MASTER)-(ASYNC_FLUSH|SYNC_FLUSH)-([0-{SLAVES_MAX}])"
        rf"/(\d+(?:\.\d+){{{faults - 1}}})/(\d+)/(\d+)/(\d+)(?:@(\w+))?"
    )
    match = re.fullmatch(pattern, text.strip())
    if match is None:
        example = CampaignOptions().format_identifier(42)
        raise IdentifierError(f"{text!r} identifies no schedule; one looks like {example}")
    role, flush, slaves, counts, *rest, digest = match.groups()
    steps, campaign_seed, schedule = (int(n) for n in rest)
    structure = Structure(Role[role], FlushDiskType[flush], int(slaves))
    check_rules(structure, digest)
    limits = FaultCounts(*(int(n) for n in counts.split(".")))
    options = CampaignOptions(structure, limits, steps, campaign_seed)
    check_range("steps", options.steps, 1, STEPS_MAX)
    check_range("campaign seed", options.campaign_seed, 0, SEED_MAX - 1)
    check_range("schedule number", schedule, 0, SEED_MAX - 1)
    return options, schedule


def check_rules(structure: Structure, digest: str | None) -> None:
    """Raise IdentifierError for a schedule of other rules; one without digest is taken as it is."""
    if digest not in (None, compute_rules_digest(structure)):
        raise IdentifierError(
            f"the schedule was made with other rules, weights or sizes ({digest}); "
            "replay it with the version of this project that made it"
        )


def check_range(what: str, value: int, low: int, high: int) -> None:
    """Raise IdentifierError when a number is out of its range."""
    if not low <= value <= high:
        raise IdentifierError(f"{what} {value} is out of range: {low} to {high}")


def replay_schedule(options: CampaignOptions, schedule: int) -> list[JudgedStep]:
    """Every state of one schedule of a campaign, walked and judged by the reference."""
    machine = compute_machine(options.structure)
    names = list(machine.instances)
    weights = [compute_weight(i.rule.name) for i in machine.instances.values()]
    key = compute_schedule_key(options.campaign_seed, schedule)
    cluster = initial_cluster(options.structure, options.parameters)
    steps = [JudgedStep(0, None, cluster, judge(cluster))]
    for step in range(options.steps):
        enabled = machine.enabled(cluster)
        if not enabled:
            break
        indexes = [names.index(e.instance.name) for e in enabled]
        picked = pick_weighted(indexes, len(indexes), weights, draw(key, step, 0))
        chosen = enabled[indexes.index(picked)]
        arguments = {
            r.name: pick_argument(r.low, r.high, draw(key, step, i + 1))
            for i, r in enumerate(chosen.ranges)
        }
        action = Action(chosen.instance.name, arguments)
        cluster = machine.step(cluster, action).cluster
        steps.append(JudgedStep(step + 1, action, cluster, judge(cluster)))
    return steps
