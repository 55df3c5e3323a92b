"""One schedule of a campaign: its identifier, and its replay in the reference."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import attrs
from attrs import Factory, evolve, field, frozen

from properties.certificates import compute_digest
from properties.judgement import JudgedStep, judge
from properties.subject import get_every_fault, get_everything, get_small_parameters
from properties.worlds import STRUCTURES
from reference.consumption.structure import (
    SMALL_CONSUMPTION,
    ConsumptionParameters,
    ConsumptionStructure,
)
from reference.machine import Action, compute_machine
from reference.structure import SMALL_PARAMETERS, Parameters, Structure
from reference.world import make_initial
from spark_fuzz.scheduler import compute_schedule_key, draw, pick_argument, pick_weighted
from spark_fuzz.swarm import (
    Circumstances,
    compute_usual_weights,
    draw_circumstances,
    get_swarm_sizes,
)
from spark_fuzz.weights import USUAL_WEIGHT, get_weights

SWARM_MARK = "/swarm"
"""How the numbers of an identifier end whose schedule draws its circumstances."""
SEED_MAX = 2**62
"""Campaign seeds are below this; so are schedule numbers."""
SCHEDULES_MAX = 10**12
"""The largest campaign."""
STEPS_MAX = 10_000
"""The longest schedule of a campaign."""


class IdentifierError(ValueError):
    """Raised for a text that identifies no schedule; one line, with the form that is expected."""


@singledispatch
def get_campaign_sizes(structure: Any) -> Any:
    """The sizes of a campaign, small ones, so that every boundary is met often.

    Those of a search, unless a world registers others.
    """
    return get_small_parameters(structure)


@get_campaign_sizes.register
def _(structure: Structure) -> Parameters:
    return evolve(
        SMALL_PARAMETERS,
        mapped_file_size_bytes=16,
        message_size_max_bytes=5,
        ha_slave_fallbehind_max_bytes=6,
        ghost_log_size_max_bytes=96,
    )


@get_campaign_sizes.register
def _(structure: ConsumptionStructure) -> ConsumptionParameters:
    return evolve(SMALL_CONSUMPTION, ghost_queue_size_max=12)


@singledispatch
def get_structure_code(structure: Any) -> str:
    """A structure in an identifier: its name with ``-`` for each slash and ``_`` for each space."""
    code: str = structure.name.replace("/", "-").replace(" ", "_")
    return code


@get_structure_code.register
def _(structure: Structure) -> str:
    return f"{structure.role.name}-{structure.flush_disk_type.name}-{structure.slaves}"


STRUCTURE_BY_CODE: Mapping[str, Any] = {get_structure_code(s): s for s in STRUCTURES.values()}
"""Every structure that an identifier can name."""


def get_default_limits(structure: Any) -> Any:
    """Every fault twice, and nobody changes the configuration."""
    return get_every_fault(structure).search_limits


@frozen
class CampaignOptions:
    """Everything that decides what a schedule does."""

    structure: Any = field(factory=Structure)
    limits: Any = Factory(lambda self: get_default_limits(self.structure), takes_self=True)
    """How often each fault may strike in one schedule."""
    steps: int = field(default=64)
    """Steps of one schedule, 1 to 10000."""
    campaign_seed: int = 0
    """0 to 2**62 - 1."""
    is_swarm: bool = False
    """Each schedule draws circumstances of its own; ``limits`` are the most it may draw."""

    @property
    def parameters(self) -> Any:
        """The sizes and fault limits of every schedule that draws none."""
        return evolve(get_campaign_sizes(self.structure), limits=self.limits)

    def compute_circumstances(self, schedule: int) -> Circumstances:
        """What one schedule works under."""
        if not self.is_swarm:
            return Circumstances(self.parameters, compute_usual_weights(self.structure))
        key = compute_schedule_key(self.campaign_seed, schedule)
        return draw_circumstances(self.structure, self.limits, key)

    @property
    def structure_code(self) -> str:
        """The structure in an identifier, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
        return get_structure_code(self.structure)

    @property
    def limits_code(self) -> str:
        """The fault limits in an identifier: a number each, in the order of their class."""
        return ".".join(str(n) for n in attrs.astuple(self.limits))

    def format_identifier(self, schedule: int) -> str:
        """What ``rmqspec replay`` takes to replay one schedule; it ends in the rules' digest."""
        numbers = f"{self.limits_code}/{self.steps}/{self.campaign_seed}/{schedule}"
        swarm = SWARM_MARK if self.is_swarm else ""
        digest = compute_rules_digest(self.structure, is_swarm=self.is_swarm)
        return f"{self.structure_code}/{numbers}{swarm}@{digest}"


def compute_rules_digest(structure: Any, *, is_swarm: bool = False) -> str:
    """A fingerprint of all that a schedule's number rests on: rules, weights, sizes."""
    sizes = get_swarm_sizes(structure) if is_swarm else get_campaign_sizes(structure)
    rare = dict(get_weights(structure).rare)
    text = f"{compute_digest(structure)} {rare} {USUAL_WEIGHT} {sizes}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def parse_identifier(text: str) -> tuple[CampaignOptions, int]:
    """Options and schedule number of an identifier. Raises IdentifierError."""
    pattern = rf"([^/]+)/((?:\d+(?:\.\d+)*)?)/(\d+)/(\d+)/(\d+)({SWARM_MARK})?(?:@(\w+))?"
    match = re.fullmatch(pattern, text.strip())
    structure = STRUCTURE_BY_CODE.get(match[1]) if match else None
    if match is None or structure is None:
        raise IdentifierError(describe_misfit(text, Structure()))
    _, counts, *rest, mark, digest = match.groups()
    numbers = [int(n) for n in counts.split(".") if n]
    limits_class = get_everything(structure).counts
    if len(numbers) != len(attrs.fields_dict(limits_class)):
        raise IdentifierError(describe_misfit(text, structure))
    steps, campaign_seed, schedule = (int(n) for n in rest)
    is_swarm = mark is not None
    check_rules(structure, digest, is_swarm=is_swarm)
    options = CampaignOptions(structure, limits_class(*numbers), steps, campaign_seed, is_swarm)
    check_range("steps", options.steps, 1, STEPS_MAX)
    check_range("campaign seed", options.campaign_seed, 0, SEED_MAX - 1)
    check_range("schedule number", schedule, 0, SEED_MAX - 1)
    return options, schedule


def describe_misfit(text: str, structure: Any) -> str:
    """What a text should look like that identifies a schedule of this structure."""
    example = CampaignOptions(structure).format_identifier(42)
    return f"{text!r} identifies no schedule; one looks like {example}"


def check_rules(structure: Any, digest: str | None, *, is_swarm: bool = False) -> None:
    """Raise IdentifierError for a schedule of other rules; one without digest is taken as it is."""
    if digest not in (None, compute_rules_digest(structure, is_swarm=is_swarm)):
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
    under = options.compute_circumstances(schedule)
    key = compute_schedule_key(options.campaign_seed, schedule)
    cluster = make_initial(options.structure, under.parameters)
    steps = [JudgedStep(0, None, cluster, judge(cluster))]
    for step in range(options.steps):
        enabled = machine.enabled(cluster)
        if not enabled:
            break
        indexes = [names.index(e.instance.name) for e in enabled]
        picked = pick_weighted(indexes, len(indexes), under.weights, draw(key, step, 0))
        chosen = enabled[indexes.index(picked)]
        arguments = {
            r.name: pick_argument(r.low, r.high, draw(key, step, i + 1))
            for i, r in enumerate(chosen.ranges)
        }
        action = Action(chosen.instance.name, arguments)
        cluster = machine.step(cluster, action).cluster
        steps.append(JudgedStep(step + 1, action, cluster, judge(cluster)))
    return steps
