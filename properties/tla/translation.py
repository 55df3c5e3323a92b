"""The machine of a structure in nodes: functions, actions, claims; each checked by expansion.

What is said of several slaves and messages is recorded with four of each, so that *all*, *others*
and *those before* can be told apart; then it is checked for the numbers of the structure itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
from attrs import evolve, frozen

from properties.tla.calls import ObservedCall, observe
from properties.tla.expansion import Definition
from properties.tla.families import FAMILY_OF_INDEX
from properties.tla.folding import DifferentError, Own, unify
from properties.tla.nodes import (
    Apply,
    Call,
    Field,
    Index,
    Name,
    Node,
    Number,
)
from properties.tla.paths import FORMAL_PREFIX, collect_leaves
from properties.tla.reading import Reader, Scope, bind, find_names, keep_used
from properties.tla.setting import (
    MAX_OFFSET,
    UNFIT,
    NotGeneralError,
    Setting,
    find_constants,
    find_kind,
    find_sentence,
    is_exportable,
    is_index,
    list_function_names,
)
from properties.verdict import InternalDisagreementError
from reference.leaves import transform_leaves
from reference.machine import Instance, compute_machine, record_machine, run_on_leaves
from reference.rule import Rule
from reference.state import CommitLog
from reference.structure import Structure
from reference.terms import Sort, Term, as_term, leaf

WIDE = 4
"""So many slaves and messages tell all, others, and those before one apart."""


@frozen
class Action:
    """A rule in nodes."""

    rule: Rule
    name: str
    """The rule's name, or that of an instance where instances differ."""
    indexes: tuple[tuple[str, str], ...]
    """Name and family of each index."""
    conditions: Mapping[str, Node]
    places: tuple[tuple[str, Node], ...]
    """Local variables of the rule, for its ranges and effects."""
    arguments: tuple[tuple[str, Node, Node], ...]
    """Name, lowest and highest value."""
    effects: Mapping[str, Node]
    """What the variables become that change."""


Parameters = tuple[tuple[str, str], ...]
"""Name and family of what a function is passed; the family is empty for a value."""

Export = tuple[Definition, Parameters]
"""An operator, and the parameters of the function that it needs."""


class Translator:
    """Translates the rules and claims of one structure."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self.narrow = Setting(structure, 0, is_wide=False)
        self.settings = [self.narrow]
        if isinstance(structure, Structure):
            wider = evolve(structure, slaves=WIDE, messages=WIDE)
            self.settings.insert(0, Setting(wider, 2, is_wide=True))
            names = self.settings[0].variables
            self.narrow.variables = {n: getattr(self.narrow.cluster, n) for n in names}
        self.definitions: dict[str, Definition] = {}
        """The functions that the actions and claims need, those first that others need."""
        if "Lives" in self.narrow.sizes:
            last = Index("Lives", self.narrow.sizes["Lives"] - 1)
            end = Field(Name("log"), ("ends", last))
            sentence = find_sentence(vars(CommitLog)[MAX_OFFSET].fget)
            self.definitions[MAX_OFFSET] = Definition(MAX_OFFSET, (("log", ""),), end, sentence)
        self._constants = {collect_leaves(v).key: n for n, v in find_constants().items()}
        self._reserved = {*self.narrow.variables, *list_function_names()}
        for recorded in record_machine(structure):
            self._reserved |= recorded.conditions.keys()
        self._by_function: dict[Callable[..., Any], Export | None] = {}

    def translate_rules(self) -> Iterator[Action]:
        """Every rule that has an instance in this structure, in order."""
        present = {i.rule.name for i in compute_machine(self.structure).instances.values()}
        for name, rule in self.structure.rules.items():
            if name in present:
                yield from self._translate_rule(rule)

    def translate_claim(self, predicate: Callable[[Any], bool]) -> Definition:
        """A predicate over states. Raises InternalDisagreementError."""
        definition = self._define(predicate, {"cluster": self.narrow.cluster}, self.narrow)
        if definition is None:
            raise InternalDisagreementError(f"{predicate.__name__} has no translation")
        return definition[0]

    def translate_initial(self) -> dict[str, Node]:
        """What every variable is at first."""
        parameters = self.structure.template.parameters
        initial = self.structure.make_initial(parameters)
        variables = self.narrow.variables
        reader = Reader((), Scope(self.narrow.sizes))
        return {name: reader.read(getattr(initial, name), name) for name in variables}

    def _translate_rule(self, rule: Rule) -> Iterator[Action]:
        for setting in self.settings:
            try:
                action = self._read_rule(rule, setting)
                self._check(action)
            except NotGeneralError:
                continue
            yield action
            return
        for instance in compute_machine(self.structure).instances.values():
            if instance.rule is rule:
                yield self._read_instance(instance)

    def _read_rule(self, rule: Rule, setting: Setting) -> Action:
        own = {FAMILY_OF_INDEX[name]: name for name in rule.indexes}
        actions = []
        for member in setting.list_members(own):
            instance = Instance(rule, (member,) * len(rule.indexes))
            action = self._record(instance, setting, own)
            parts = (setting.generalise(part, own, member) for part in list_texts(action))
            actions.append(tuple(parts))
        conditions, places, arguments, effects = unite(actions, own)
        return evolve(
            action,
            indexes=tuple((name, FAMILY_OF_INDEX[name]) for name in rule.indexes),
            conditions=dict(conditions),
            places=places,
            arguments=arguments,
            effects=dict(effects),
        )

    def _read_instance(self, instance: Instance) -> Action:
        action = self._record(instance, self.narrow, {})
        numbers = "_".join(map(str, instance.indexes))
        return evolve(action, name=f"{instance.rule.name}_{numbers}")

    def _record(self, instance: Instance, setting: Setting, own: Mapping[str, str]) -> Action:
        with observe() as observation:
            conditions, arguments, after = run_on_leaves(setting.cluster, instance)
        reader = self._make_reader(observation.calls, setting, own)
        read = {name: reader.read(term) for name, term in conditions.items()}
        changed = {
            name: getattr(after, name)
            for name, before in setting.variables.items()
            if collect_leaves(before).key != collect_leaves(getattr(after, name)).key
        }
        places = reader.name_places(observation.find_places(instance.rule.function))
        ranges = tuple((n, reader.read(low), reader.read(high)) for n, _, low, high in arguments)
        effects = {name: reader.read(value, name) for name, value in changed.items()}
        said = (*effects.values(), *(end for _, *ends in ranges for end in ends))
        return Action(
            rule=instance.rule,
            name=instance.rule.name,
            indexes=(),
            conditions={n: c for n, c in read.items() if c != Number(True, "TRUE")},
            places=keep_used(places, set().union(*map(find_names, said))),
            arguments=ranges,
            effects=effects,
        )

    def _make_reader(
        self, calls: Sequence[ObservedCall], setting: Setting, own: Mapping[str, str]
    ) -> Reader:
        known = {family: Own(setting.own, variable) for family, variable in own.items()}
        accept = partial(self._accept, setting)
        scope = Scope(
            setting.sizes, known, setting.variables, self._reserved, accept, self._find_constant
        )
        return Reader(calls, scope)

    def _find_constant(self, key: tuple[int, ...]) -> Node | None:
        """The operator of a record that the reference has a name for."""
        name = self._constants.get(key)
        if name is None:
            return None
        if name not in self.definitions:
            reader = Reader((), Scope(self.narrow.sizes))
            self.definitions[name] = Definition(name, (), reader.read(find_constants()[name]), "")
        return Call(name, ())

    def _accept(
        self, setting: Setting, call: ObservedCall
    ) -> tuple[str, tuple[tuple[str, str], ...]] | None:
        """The operator of a called function, if it can have one and is called in this way."""
        found = self._define(call.function, call.arguments, setting)
        if found is None:
            return None
        definition, parameters = found
        passed = {n for n, v in call.arguments.items() if setting.find_global(v) is None}
        if passed != {name for name, _ in parameters}:
            return None
        return definition.name, parameters

    def _define(
        self, function: Callable[..., Any], arguments: Mapping[str, Any], setting: Setting
    ) -> Export | None:
        if function not in self._by_function:
            self._by_function[function] = None
            kinds = {n: find_kind(n, value, setting) for n, value in arguments.items()}
            if None not in kinds.values():
                self._by_function[function] = self._find_definition(function, arguments, setting)
        return self._by_function[function]

    def _find_definition(
        self, function: Callable[..., Any], arguments: Mapping[str, Any], setting: Setting
    ) -> Export | None:
        """The function in nodes, recorded with free variables for what it is passed."""
        own = {FAMILY_OF_INDEX[n]: n for n, v in arguments.items() if is_index(n, v)}
        families = {variable: family for family, variable in own.items()}
        parameters = tuple(
            (n, families.get(n, "")) for n, v in arguments.items() if setting.find_global(v) is None
        )
        formals = tuple((self._name_formal(name), family) for name, family in parameters)
        for other in self.settings:
            try:
                body = self._read_function(function, arguments, setting, other, own)
            except (NotGeneralError, KeyError):
                continue
            except UNFIT:
                return None
            if body is None:
                return None
            name = self._choose_name(function)
            definition = Definition(name, formals, body, find_sentence(function))
            if self._is_right(definition, function, arguments, setting):
                self.definitions[name] = definition
                return definition, parameters
        return None

    def _read_function(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        setting: Setting,
        other: Setting,
        own: Mapping[str, str],
    ) -> Node | None:
        """The body of a function, recorded with free variables; None if it is not a value."""
        bodies = []
        for member in other.list_members(own):
            passed = {n: self._make_formal(n, v, setting, other) for n, v in arguments.items()}
            passed |= dict.fromkeys(own.values(), member)
            with observe() as observation:
                result = function(*passed.values())
            if not is_exportable(result):
                return None
            reader = self._make_reader(observation.calls, other, own)
            places = reader.name_places(observation.find_places(function), result)
            bodies.append(other.generalise(bind(places, reader.read(result)), own, member))
        try:
            united: Node = unite(bodies, own)
        except NotGeneralError:
            if not isinstance(result, Term):
                raise
            (variable,) = own.values()
            is_first = Apply("equal", (Name(variable), Number(0)))
            operator = "choose_flag" if result.sort is Sort.BOOLEAN else "choose"
            return Apply(operator, (is_first, *bodies))
        return united

    def _name_formal(self, name: str) -> str:
        """A parameter must not be called like a variable of the state."""
        return f"the_{name}" if name in self.narrow.variables else name

    def _make_formal(self, name: str, value: Any, setting: Setting, other: Setting) -> Any:
        """What a function is passed while it is recorded in another setting: free variables."""
        known = setting.find_global(value)
        if known is not None:
            return other.get_global(known)
        if is_index(name, value):
            return other.own
        path = f"{FORMAL_PREFIX}{self._name_formal(name)}"
        if attrs.has(type(value)):
            return transform_leaves(value, lambda below, sort, old: leaf(f"{path}.{below}", sort))
        return leaf(path, as_term(value).sort)

    def _choose_name(self, function: Callable[..., Any]) -> str:
        name = function.__name__
        module = function.__module__.rpartition(".")[2]
        return f"{name}_of_{module}" if name in self.definitions else name

    def _is_right(
        self,
        definition: Definition,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        setting: Setting,
    ) -> bool:
        """The definition means in the structure itself what the function says there."""
        expansion = self.narrow.make_expansion(self.definitions)
        families = [family for _, family in definition.formals if family]
        for member in range(self.narrow.sizes[families[0]]) if families else (0,):
            passed = {
                n: member if is_index(n, v) else self._make_formal(n, v, setting, self.narrow)
                for n, v in arguments.items()
            }
            bound = {self._name_formal(n): value for n, value in passed.items()}
            try:
                meant = expansion.bind(**bound).expand(definition.body)
            except UNFIT:
                return False
            if collect_leaves(meant).key != collect_leaves(function(*passed.values())).key:
                return False
        return True

    def _check(self, action: Action) -> None:
        """Raises NotGeneralError where an action is not what the rule says in the structure."""
        for instance in compute_machine(self.structure).instances.values():
            if instance.rule is not action.rule:
                continue
            conditions, arguments, after = run_on_leaves(self.narrow.cluster, instance)
            names = (name for name, _ in action.indexes)
            bound: dict[str, Any] = dict(zip(names, instance.indexes, strict=True))
            bound.update({name: variable for name, variable, _, _ in arguments})
            expansion = self.narrow.make_expansion(self.definitions).bind(**bound)
            for name, place in action.places:
                expansion = expansion.bind(**{name: expansion.expand(place)})
            said = [*conditions.values(), *(t for _, _, *ends in arguments for t in ends)]
            nodes: list[Node] = [action.conditions.get(n, Number(True)) for n in conditions]
            nodes += [end for _, *ends in action.arguments for end in ends]
            for name, before in self.narrow.variables.items():
                said.append(getattr(after, name))
                nodes.append(action.effects.get(name, before))
            for value, node in zip(said, nodes, strict=True):
                try:
                    meant = expansion.expand(node) if is_node(node) else node
                except UNFIT as unfit:
                    raise NotGeneralError(action.name) from unfit
                if collect_leaves(meant).key != collect_leaves(value).key:
                    raise NotGeneralError(action.name)


def is_node(value: Any) -> bool:
    """It is a node, not a value."""
    return type(value).__module__ == Index.__module__


def list_texts(action: Action) -> list[Any]:
    """What a rule says, as tuples of nodes."""
    conditions, effects = tuple(action.conditions.items()), tuple(action.effects.items())
    return [conditions, action.places, action.arguments, effects]


def unite(nodes: Sequence[Any], own: Mapping[str, str]) -> Any:
    """One node for both of two members, or the only one. Raises NotGeneralError."""
    if len(nodes) == 1:
        return nodes[0]
    ((family, variable),) = own.items()
    try:
        return unify((nodes[0], nodes[1]), (0, 1), Index(family, variable))
    except DifferentError as difference:
        raise NotGeneralError(variable) from difference
