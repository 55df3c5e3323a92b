"""A world: a state machine with all claims about it, in one object.

Replication is one of them. Engines get claims, lemmas, fault models and sizes from such an object,
and know no world by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import attrs
from attrs import field, frozen

from properties.generated_text import SPEC
from properties.language.fault_model import FaultModel
from properties.language.healing import Healing
from properties.language.property import CANDIDATES, CLAIMS, Property, PropertyRole
from reference.language.parameters import BaseParameters
from reference.language.rule import Rule
from reference.language.structure import BaseStructure

Size = TypeVar("Size", bound=BaseParameters)
Size_co = TypeVar("Size_co", bound=BaseParameters, covariant=True)


@frozen
class Sizes(Generic[Size_co]):
    """The sizes in which a world is searched: small, so that boundaries are reached often."""

    search: Size_co
    """The sizes of bounded search."""
    fault_sets: Size_co
    """The sizes in which schedules for fault sets are searched."""
    campaign: Size_co
    """The sizes of every schedule of a campaign without a swarm."""
    swarm: tuple[Size_co, ...]
    """The sizes that the schedules of a swarm choose from; limits do not matter there."""


def make_sizes(
    search: Size,
    *,
    fault_sets: Size | None = None,
    campaign: Size | None = None,
    swarm: tuple[Size, ...] = (),
) -> Sizes[Size]:
    """The sizes of a search, unless others are given."""
    return Sizes(search, fault_sets or search, campaign or search, swarm or (search,))


def locate_by_name(structure: ClaimedStructure) -> Path:
    """A folder for the world, and in it a file named after the structure."""
    world, *rest = structure.name.split("/")
    return Path(world) / ("-".join(rest).replace(" ", "_") + ".json")


def code_by_name(structure: ClaimedStructure) -> str:
    """The structure's name with ``-`` for each slash and ``_`` for each space."""
    code: str = structure.name.replace("/", "-").replace(" ", "_")
    return code


@frozen
class Numbers:
    """What engines know of a world's numbers besides its rules."""

    codes: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """The names of a field's numbers, from 0 on, by the name of the field."""
    counters: Mapping[str, int] = field(factory=dict)
    """Leaves that count without end, and how far a model checker lets them count."""
    unlimited: tuple[str, ...] = ()
    """Parameters that may be any number; every other size is positive."""
    zero_if_possible: tuple[str, ...] = ()
    """Leaves that a found schedule leaves 0 if it can: then it is one for other sizes as well."""
    parts: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """The parts of a state that belong to a value of an index, if its values are
    interchangeable, by the name of the index."""

    @property
    def highest_code(self) -> int:
        """The largest number that has a name; 0 if none has."""
        return max((len(names) - 1 for names in self.codes.values()), default=0)


@frozen
class PartClaim:
    """A guarantee of a world that is part of another one."""

    claim: Property
    """It is about the states of the whole, and has a name of its own there."""
    name: str
    """The name in its own world."""
    get_part: Callable[[Any], Any]
    """The structure of its own world that a structure of the whole has."""
    get_faults: Callable[[frozenset[str]], frozenset[str]]
    """The faults of its own world that may happen where these may happen in the whole."""


@frozen(eq=False)
class World:
    """A state machine, with its claims and everything that the engines need."""

    name: str
    """Its name in the book."""
    structures: tuple[ClaimedStructure, ...]
    """Every one of them has a certificate."""
    properties: Mapping[str, Property]
    """Every named predicate about its states, by name."""
    fault_models: tuple[FaultModel, ...]
    """Weaker ones before those that contain them; the last one has every fault."""
    sizes: Sizes[BaseParameters]
    folder: Path
    """The folder of its properties and of the reasons for its verdicts."""
    chapter: str
    """Its chapter's file in ``spec/``."""
    mutated_structures: tuple[ClaimedStructure, ...] = field()
    """The structures in which mutants of its rules are made and judged: all, by default. Each rule
    and each choice of settings is in one of them."""
    later_rules: Mapping[str, Rule] = field(factory=dict, kw_only=True)
    """Rules that no structure has but later ones, by name."""
    everything: FaultModel = field()
    """All faults and environment events together; by default those of the last fault model."""
    part_claims: Mapping[str, PartClaim] = field(factory=dict)
    """Guarantees of the worlds that are parts of this one, by their name here. They are proved and
    refuted there, and judged here as well in each state of a schedule."""
    get_healing: Callable[[Any], Healing | None] = lambda structure: None
    """How a structure comes to rest; None if no claim mentions it."""
    locate: Callable[[Any], Path] = locate_by_name
    """The path of a structure's certificate among all certificates."""
    make_code: Callable[[Any], str] = code_by_name
    """The code of a structure in the identifier of a schedule."""
    list_related_structures: Callable[[Any], tuple[Any, ...]] = lambda structure: ()
    """The structures whose schedules are tried first, because they may refute here too."""
    list_parts: Callable[[Any], tuple[Any, ...]] = lambda structure: ()
    """The structures of other worlds that a structure contains: their schedules continue here."""
    follow_more: Callable[[Any], Any] = lambda structure: structure
    """The structure that random walks take for one: several things are followed in it, one after
    another, so that a walk is of use after the first is settled."""
    depth_limit: int | None = None
    """The search depth of a structure. None: the usual depth. 0: its states are too large for
    bounded search, and random schedules are followed instead."""
    clip_sizes: Callable[[Any], Any] | None = None
    """The sizes of a search, none larger than these; None if the world has no sizes."""
    numbers: Numbers = Numbers()
    module: str = ""
    """Its module's name in TLA+, if that is not the name of its state's class."""
    manual_rules: Mapping[str, Rule] = field(factory=dict)
    """An administrator's manual steps, by name; no broker takes them."""

    @mutated_structures.default
    def _get_structures(self) -> tuple[ClaimedStructure, ...]:
        return self.structures

    @everything.default
    def _get_last_fault_model(self) -> FaultModel:
        return self.fault_models[-1]

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules of its first structure, by name, and those that only others have."""
        return {**self.structures[0].rules, **self.later_rules}

    @property
    def topic(self) -> str:
        """Its chapter's name, with which the ledger names its rules."""
        return self.chapter.removesuffix(".md")

    @property
    def reasons(self) -> Path:
        """The folder that says why its verdicts are what they are.

        It has the expected verdicts; the verdict of each counterexample page; classes of
        refutations, and predictions.
        """
        return self.folder / "reasons"

    @property
    def chapter_path(self) -> Path:
        """The path of its chapter."""
        return SPEC / self.chapter

    def select(self, *roles: PropertyRole) -> dict[str, Property]:
        """The properties with one of these purposes, by name and in order."""
        return {name: each for name, each in self.properties.items() if each.role in roles}

    @cached_property
    def claims(self) -> dict[str, Property]:
        """Guarantees, then convergence claims, by name."""
        return self.select(*CLAIMS)

    @cached_property
    def lemmas(self) -> dict[str, Property]:
        """Properties that are inductive under all faults: sanity checks and lemmas, by name."""
        return self.select(*CANDIDATES)

    @cached_property
    def witnesses(self) -> dict[str, Property]:
        """Situations that must be reachable as well."""
        return self.select(PropertyRole.WITNESS)

    @cached_property
    def guarantees(self) -> dict[str, Property]:
        """The claims that are checked in each state, by name and in order."""
        return self.select(PropertyRole.GUARANTEE)

    @property
    def judged(self) -> dict[str, Property]:
        """The claims that judge each state of a schedule: guarantees, and those of the parts."""
        return {**self.guarantees, **{n: part.claim for n, part in self.part_claims.items()}}

    @property
    def claims_about_rest(self) -> tuple[str, ...]:
        """The claims that are judged where healing ends, by name and in order."""
        return tuple(name for name in self.claims if name not in self.judged)

    def get_claim(self, name: str) -> Property:
        """A claim of this world or of one of its parts. Raises KeyError for a name of neither."""
        return self.claims[name] if name in self.claims else self.part_claims[name].claim

    @property
    def every_fault(self) -> FaultModel:
        """The last fault model: all that may happen to a system without configuration changes."""
        return self.fault_models[-1]

    def get_fault_model(self, name: str) -> FaultModel:
        """A fault model by its name. Raises KeyError for an unknown name, with those that exist."""
        known = {c.name: c for c in self.fault_models}
        if name not in known:
            raise KeyError(f"{name!r} is no fault model of {self.name}; it has {', '.join(known)}")
        return known[name]

    def get_lemmas(self, structure: BaseStructure) -> dict[str, Property]:
        """The lemmas of a structure: those that only its variants need come last.

        Those that a variant breaks are left out.
        """
        variants = [variant.name for variant in structure.changes]
        held = {n: p for n, p in self.lemmas.items() if not {*variants} & {*p.broken_by}}
        common = {n: p for n, p in held.items() if not p.variants}
        own = {n: p for v in variants for n, p in held.items() if v in p.variants}
        return {**common, **own}

    def get_candidates(self, structure: BaseStructure) -> dict[str, Property]:
        """Everything that may become part of an inductive set."""
        return {**self.get_lemmas(structure), **self.claims}

    def make_search_parameters(self, fault_model: FaultModel) -> BaseParameters:
        """The sizes of a search, with the limits of a fault model."""
        return self.sizes.search.limit(fault_model.search_limits)


@frozen(weakref_slot=False)  # A structure derives from a shape too, which has that slot.
class ClaimedStructure(BaseStructure):
    """A structure with claims about it: those of its world. Each world derives a class of its own.

    Engines need nothing else: they get the claims, the lemmas, the fault models and the sizes from
    ``structure.world``, and know no world by name.
    """

    @property
    def world(self) -> World:
        """The world that makes the claims."""
        raise NotImplementedError

    @property
    def healing(self) -> Healing | None:
        """How it comes to rest; None if no claim mentions that."""
        return self.world.get_healing(self)


def make_fault_models(
    counts: type, fault_models: Mapping[str, tuple[str, ...]]
) -> tuple[FaultModel, ...]:
    """The fault models of a world: none, these, and every fault that ``counts`` can count."""
    every = tuple(attrs.fields_dict(counts))
    named = {"none": (), **fault_models, "every fault": every}
    return tuple(FaultModel(name, admitted, counts) for name, admitted in named.items())


def get_largest_size(parameters: BaseParameters) -> int:
    """The end of the modelled log or queue of a search: no offset is beyond it; 0 without sizes."""
    sizes = attrs.asdict(parameters, recurse=False).values()
    return max((size for size in sizes if isinstance(size, int)), default=0)
