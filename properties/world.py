"""A world: a state machine with all that is claimed of it, in one object.

Replication is one of them. Engines ask an object like this for claims, lemmas, columns and sizes,
and know no world by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, field, frozen

from properties.fault_model import FaultModel
from properties.generated_text import SPEC
from properties.healing import Healing
from properties.property import Property, PropertyRole
from reference.language.rule import Rule


@frozen
class Sizes:
    """The sizes in which a world is searched: small ones, so that every boundary is met often."""

    search: Any
    """Those of bounded search."""
    fault_sets: Any
    """Those in which schedules to fault sets are searched."""
    campaign: Any
    """Those of every schedule of a campaign without a swarm."""
    swarm: tuple[Any, ...]
    """Those that the schedules of a swarm choose from; limits do not matter there."""


def make_sizes(
    search: Any, *, fault_sets: Any = None, campaign: Any = None, swarm: tuple[Any, ...] = ()
) -> Sizes:
    """Those of a search, where no others are given."""
    return Sizes(search, fault_sets or search, campaign or search, swarm or (search,))


def locate_by_name(structure: Any) -> Path:
    """A folder for the world, a file for the structure, called as the structure is."""
    world, *rest = structure.name.split("/")
    return Path(world) / ("-".join(rest).replace(" ", "_") + ".json")


def code_by_name(structure: Any) -> str:
    """The structure's name with ``-`` for each slash and ``_`` for each space."""
    code: str = structure.name.replace("/", "-").replace(" ", "_")
    return code


@frozen
class PartClaim:
    """A guarantee of a world that another one is made of."""

    claim: Property
    """It speaks of the states of the whole, and has a name of its own there."""
    name: str
    """Its name in its own world."""
    get_part: Callable[[Any], Any]
    """The structure of its own world that a structure of the whole has."""
    get_faults: Callable[[frozenset[str]], frozenset[str]]
    """What may strike in its own world where these may strike in the whole."""


@frozen(eq=False)
class World:
    """A state machine, with what is claimed of it and what the engines need for it."""

    name: str
    """How it is called in the book."""
    structures: tuple[Any, ...]
    """Every one of them has a certificate."""
    claims: Mapping[str, Property]
    """Guarantees, then what is claimed of peace, by name."""
    lemmas: Mapping[str, Property]
    """What is inductive whatever strikes: sanity checks, then lemmas, by name."""
    fault_models: tuple[FaultModel, ...]
    """Weaker ones before those that contain them; the last one has every fault."""
    sizes: Sizes
    folder: Path
    """Where its properties and its expectations lie."""
    chapter: str
    """The file in ``spec/`` that tells it."""
    mutated_structures: tuple[Any, ...] = field()
    """Those in which mistakes in its rules are made and sought: all, unless fewer are told. Each
    rule and each choice of settings is in one of them."""
    everything: FaultModel = field()
    """All faults and circumstances together; those of the last column unless more are told."""
    witnesses: Mapping[str, Property] = field(factory=dict)
    """What else must be reachable."""
    part_claims: Mapping[str, PartClaim] = field(factory=dict)
    """Guarantees of the worlds that this one is made of, by the name that they have here. Proved
    and refuted there, they are judged here as well in each state of a schedule."""
    get_healing: Callable[[Any], Healing | None] = lambda structure: None
    """How a structure comes to rest; None where nothing is claimed of that."""
    compute_stage: Callable[[Any], int] = lambda state: 0
    """How far what a state follows has come, the further the larger."""
    locate: Callable[[Any], Path] = locate_by_name
    """Where the certificate of a structure lies among all certificates."""
    make_code: Callable[[Any], str] = code_by_name
    """What stands for a structure in the identifier of a schedule."""
    list_related_structures: Callable[[Any], tuple[Any, ...]] = lambda structure: ()
    """The structures whose schedules are tried first: they may refute here too."""
    list_parts: Callable[[Any], tuple[Any, ...]] = lambda structure: ()
    """The structures of other worlds whose rules a structure has: their schedules lead on here."""
    depth_limit: int | None = None
    """How deep a structure is searched; None as deep as is usual, 0 where its states are too large
    for bounded search, so that random schedules are followed instead."""
    clip_sizes: Callable[[Any], Any] | None = None
    """The sizes of a search, none larger than these; None where sizes play no part."""
    manual_rules: Mapping[str, Rule] = field(factory=dict)
    """What an administrator does by hand, by name; no broker does it."""

    @mutated_structures.default
    def _get_structures(self) -> tuple[Any, ...]:
        return self.structures

    @everything.default
    def _get_last_fault_model(self) -> FaultModel:
        return self.fault_models[-1]

    @property
    def kind(self) -> type:
        """The class of its structures."""
        return type(self.structures[0])

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules of its first structure, by name."""
        rules: Mapping[str, Rule] = self.structures[0].rules
        return rules

    @property
    def topic(self) -> str:
        """Its chapter's name, with which the ledger names its rules."""
        return self.chapter.removesuffix(".md")

    @property
    def chapter_path(self) -> Path:
        """Where its chapter lies."""
        return SPEC / self.chapter

    @property
    def guarantees(self) -> dict[str, Property]:
        """The claims that are judged state by state, by name and in order."""
        claims = self.claims.items()
        return {name: claim for name, claim in claims if claim.role is PropertyRole.GUARANTEE}

    @property
    def judged(self) -> dict[str, Property]:
        """What each state of a schedule is judged by: the guarantees, and those of the parts."""
        return {**self.guarantees, **{n: part.claim for n, part in self.part_claims.items()}}

    def get_claim(self, name: str) -> Property:
        """A claim of this world or of one of its parts. Raises KeyError for a name of neither."""
        return self.claims[name] if name in self.claims else self.part_claims[name].claim

    @property
    def every_fault(self) -> FaultModel:
        """The last column: all that may befall a system whose configuration nobody changes."""
        return self.fault_models[-1]

    def get_fault_model(self, name: str) -> FaultModel:
        """A column by its heading. Raises KeyError for a name that is none."""
        return {c.name: c for c in self.fault_models}[name]

    def get_lemmas(self, structure: Any) -> dict[str, Property]:
        """The lemmas of a structure: those that its variants alone need come last."""
        variants = [variant.name for variant in structure.changes]
        common = {n: p for n, p in self.lemmas.items() if not p.variants}
        own = {n: p for v in variants for n, p in self.lemmas.items() if v in p.variants}
        return {**common, **own}

    def get_candidates(self, structure: Any) -> dict[str, Property]:
        """Everything that may become part of an inductive set."""
        return {**self.get_lemmas(structure), **self.claims}

    def make_search_parameters(self, column: FaultModel) -> Any:
        """The sizes of a search, with the limits of a column."""
        return evolve(self.sizes.search, limits=column.search_limits)


def make_fault_models(
    counts: type, columns: Mapping[str, tuple[str, ...]]
) -> tuple[FaultModel, ...]:
    """The columns of a world: none, these, and every fault that ``counts`` can count."""
    every = tuple(attrs.fields_dict(counts))
    named = {"none": (), **columns, "every fault": every}
    return tuple(FaultModel(name, admitted, counts) for name, admitted in named.items())


def get_largest_size(parameters: Any) -> int:
    """Where the modelled log or queue of a search ends: no offset is beyond."""
    sizes = attrs.asdict(parameters, recurse=False).values()
    return max(size for size in sizes if isinstance(size, int))
