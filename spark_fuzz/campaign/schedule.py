"""One schedule of a campaign: its identifier, and its replay in the reference."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import Factory, field, frozen

from properties.language.world import ClaimedStructure
from properties.verdicts.fingerprint import compute_digest
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.language.parameters import BaseFaults
from reference.language.rule import USUAL_WEIGHT
from spark_fuzz.kernel import ancestry as lineage
from spark_fuzz.kernel import scheduler, swarm
from spark_fuzz.kernel.ancestry import Lineage, parse_lineage
from spark_fuzz.kernel.scheduler import SCHEDULERS, compute_schedule_key
from spark_fuzz.kernel.swarm import Environment, draw_environment

SWARM_MARK = "/swarm"
"""The suffix of an identifier's numbers if its schedule draws its environment."""
PRIORITY_MARK = f"/{SCHEDULERS[1]}"
"""The suffix after that if the next step is chosen by priority."""
SEED_MAX = 2**62
"""The limit of campaign seeds and of schedule numbers."""
SCHEDULES_MAX = 10**12
"""The largest campaign."""
STEPS_MAX = 10_000
"""The longest schedule of a campaign."""


class IdentifierError(ValueError):
    """Raised for a text that identifies no schedule; one line, with the expected form."""


def get_structure_code(structure: ClaimedStructure) -> str:
    """A structure in an identifier, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
    return structure.world.make_code(structure)


STRUCTURE_BY_CODE: Mapping[str, Any] = {get_structure_code(s): s for s in STRUCTURES.values()}
"""Every structure that an identifier can name."""


def get_default_limits(structure: ClaimedStructure) -> Any:
    """Every fault twice, and no configuration changes."""
    return structure.world.every_fault.search_limits


@frozen
class CampaignOptions:
    """Everything that decides what a schedule does."""

    structure: ClaimedStructure = field(factory=ClaimedGroup)
    limits: BaseFaults = Factory(lambda self: get_default_limits(self.structure), takes_self=True)
    """How often each fault may happen in one schedule."""
    steps: int = field(default=64)
    """Steps of one schedule, 1 to 10000."""
    campaign_seed: int = 0
    """0 to 2**62 - 1."""
    is_swarm: bool = False
    """Each schedule draws its own environment; ``limits`` are the most it may draw."""
    scheduler: str = SCHEDULERS[0]
    """One of SCHEDULERS: how the next step is chosen."""
    healing_steps: int = 0
    """The healing steps that a schedule may take once faults stop, 0 to 10000."""

    @property
    def parameters(self) -> Any:
        """The sizes and fault limits of every schedule that draws none."""
        return self.structure.world.sizes.campaign.limit(self.limits)

    def compute_environment(self, schedule: int | Lineage) -> Environment:
        """The environment of a schedule; a guided one has its oldest ancestor's."""
        key = compute_schedule_key(self.campaign_seed, Lineage.of(schedule).numbers[0])
        return draw_environment(
            self.structure,
            self.parameters,
            key,
            scheduler=SCHEDULERS.index(self.scheduler),
            is_swarm=self.is_swarm,
        )

    @property
    def judged_claims(self) -> tuple[str, ...]:
        """The guarantees, and, if schedules heal, the convergence claims."""
        world = self.structure.world
        at_rest = [name for name in world.claims if name not in world.guarantees]
        return (*world.judged, *(at_rest if self.healing_steps else ()))

    @property
    def structure_code(self) -> str:
        """The structure in an identifier, for example ``SYNC_MASTER-ASYNC_FLUSH-1``."""
        return get_structure_code(self.structure)

    @property
    def limits_code(self) -> str:
        """The fault limits in an identifier: a number each, in the order of their class."""
        return ".".join(str(n) for n in attrs.astuple(self.limits))

    def format_identifier(self, schedule: int | Lineage) -> str:
        """The argument of ``rmqspec replay`` for one schedule; it ends in the rules' digest."""
        steps = f"{self.steps}+{self.healing_steps}" if self.healing_steps else f"{self.steps}"
        marks = SWARM_MARK * self.is_swarm + PRIORITY_MARK * (self.scheduler != SCHEDULERS[0])
        numbers = f"{self.limits_code}/{steps}/{self.campaign_seed}/{schedule}{marks}"
        digest = compute_rules_digest(self.structure, is_swarm=self.is_swarm)
        return f"{self.structure_code}/{numbers}@{digest}"


def compute_rules_digest(structure: ClaimedStructure, *, is_swarm: bool = False) -> str:
    """A digest of all that a schedule's number depends on: rules, weights, sizes, dice."""
    sizes = structure.world.sizes.swarm if is_swarm else structure.world.sizes.campaign
    rare = {n: r.weight for n, r in structure.rules.items() if r.weight != USUAL_WEIGHT}
    text = f"{compute_digest(structure)} {rare} {USUAL_WEIGHT} {sizes}"
    return hashlib.sha256(f"{text} {_read_dice()}".encode()).hexdigest()[:8]


@cache
def _read_dice() -> str:
    """The texts that decide every random choice of a schedule."""
    texts = (inspect.getsource(module) for module in (scheduler, lineage, swarm))
    return "".join((*texts, WALK.read_text(encoding="utf-8")))


WALK = Path(scheduler.__file__).parent / "native" / "walk.c"
"""The compiled walk, which makes the same choices as ``scheduler``."""


IDENTIFIER = re.compile(
    r"(?P<structure>[^/]+)/(?P<limits>(?:\d+(?:\.\d+)*)?)/(?P<steps>\d+)(?:\+(?P<healing>\d+))?"
    rf"/(?P<seed>\d+)/(?P<lineage>{lineage.PATTERN})"
    rf"(?P<swarm>{SWARM_MARK})?(?P<priority>{PRIORITY_MARK})?(?:@(?P<digest>\w+))?"
)


def parse_identifier(text: str) -> tuple[CampaignOptions, Lineage]:
    """Options and lineage of an identifier. Raises IdentifierError."""
    match = IDENTIFIER.fullmatch(text.strip())
    structure = STRUCTURE_BY_CODE.get(match["structure"]) if match else None
    if match is None or structure is None:
        raise IdentifierError(describe_misfit(text, ClaimedGroup()))
    numbers = [int(n) for n in match["limits"].split(".") if n]
    limits_class = structure.world.everything.counts
    if len(numbers) != len(attrs.fields_dict(limits_class)):
        raise IdentifierError(describe_misfit(text, structure))
    is_swarm = match["swarm"] is not None
    check_rules(structure, match["digest"], is_swarm=is_swarm)
    options = CampaignOptions(
        structure,
        limits_class(*numbers),
        int(match["steps"]),
        int(match["seed"]),
        is_swarm,
        SCHEDULERS[match["priority"] is not None],
        int(match["healing"] or 0),
    )
    return options, check_numbers(options, match["lineage"])


def check_numbers(options: CampaignOptions, text: str) -> Lineage:
    """The lineage of a schedule of a possible campaign. Raises IdentifierError."""
    check_range("steps", options.steps, 1, STEPS_MAX)
    check_range("healing steps", options.healing_steps, 0, STEPS_MAX)
    check_range("campaign seed", options.campaign_seed, 0, SEED_MAX - 1)
    try:
        parsed = parse_lineage(text)
    except ValueError as problem:
        raise IdentifierError(str(problem)) from problem
    for number in parsed.numbers:
        check_range("schedule number", number, 0, SEED_MAX - 1)
    return parsed


def describe_misfit(text: str, structure: ClaimedStructure) -> str:
    """The error for a text that does not identify a schedule of this structure."""
    example = CampaignOptions(structure).format_identifier(42)
    return f"{text!r} identifies no schedule; one looks like {example}"


def check_rules(structure: ClaimedStructure, digest: str | None, *, is_swarm: bool = False) -> None:
    """Raise IdentifierError for a schedule of other rules; one without digest is accepted."""
    if digest not in (None, compute_rules_digest(structure, is_swarm=is_swarm)):
        raise IdentifierError(
            f"the schedule was made with other rules, weights or sizes ({digest}); "
            "replay it with the version of this project that made it"
        )


def check_range(what: str, value: int, low: int, high: int) -> None:
    """Raise IdentifierError when a number is out of its range."""
    if not low <= value <= high:
        raise IdentifierError(f"{what} {value} is out of range: {low} to {high}")
