"""Predicates over the flat states of a walk, asked only when a step may have changed the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from attrs import field, frozen

from properties.language.property import Predicate
from reference.language.compiled import State, compile_predicate
from reference.language.decoding import compile_decoder
from reference.language.dependencies import compute_dependencies, list_leaves
from reference.language.machine import record_predicate
from reference.language.structure import BaseStructure
from reference.language.terms import TermError


class ClaimError(Exception):
    """Raised for a predicate that cannot be asked: it fails, or reads what no state has.

    It is no AssertionError: the predicate is at fault, not what it is about.
    """


@frozen
class CompiledPredicate:
    """One predicate over flat states."""

    name: str
    holds: Callable[[State], bool]
    reads: frozenset[str] | None
    """The leaves that it reads; None if that is unknown."""


def compile_named(structure: BaseStructure, name: str, predicate: Predicate) -> CompiledPredicate:
    """A predicate compiled, or as it stands if it cannot be read as a term.

    Raises ClaimError with its name if it fails for every state, for example because it names a leaf
    that the structure does not have.
    """
    try:
        term = record_predicate(structure, predicate)
        return CompiledPredicate(name, compile_predicate(structure, predicate), list_leaves([term]))
    except TermError:
        return CompiledPredicate(name, _ask_cluster(structure, name, predicate), None)
    except AttributeError as error:
        raise ClaimError(f"{name} names what no state of {structure.name} has: {error}") from error
    except Exception as error:
        raise ClaimError(f"{name} fails: {type(error).__name__}: {error}") from error


def _ask_cluster(
    structure: BaseStructure, name: str, predicate: Predicate
) -> Callable[[State], bool]:
    """A predicate that uses ``and``, ``or``, ``if``: it is asked about the decoded state."""
    decode = compile_decoder(structure)

    def holds(state: State) -> bool:
        try:
            return bool(predicate(decode(state)))
        except Exception as error:
            raise ClaimError(f"{name} fails: {type(error).__name__}: {error}") from error

    return holds


@frozen(eq=False, slots=False)
class CompiledPredicates:
    """Named predicates over the states of one structure."""

    structure: BaseStructure
    predicates: Mapping[str, Predicate]
    compiled: Mapping[str, CompiledPredicate] = field(init=False)

    @compiled.default
    def _compile(self) -> Mapping[str, CompiledPredicate]:
        made: dict[Predicate, CompiledPredicate] = {}
        for name, predicate in self.predicates.items():
            if predicate not in made:
                made[predicate] = compile_named(self.structure, name, predicate)
        return {name: made[predicate] for name, predicate in self.predicates.items()}

    @cached_property
    def touched(self) -> Mapping[str, tuple[str, ...]]:
        """By instance: the predicates that read what it writes, each once."""
        writes = compute_dependencies(self.structure).writes
        return {
            instance: tuple(
                name
                for name, each in self.compiled.items()
                if each.reads is None or not written.isdisjoint(each.reads)
            )
            for instance, written in writes.items()
        }

    def find_false(self, state: State, names: Iterable[str]) -> str | None:
        """The first of these that does not hold. Raises ClaimError for one that fails."""
        compiled = self.compiled
        for name in names:
            if not compiled[name].holds(state):
                return name
        return None
