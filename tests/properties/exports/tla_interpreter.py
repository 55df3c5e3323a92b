"""A small interpreter of TLA+, for what the export uses: text in, states out.

It knows nothing of the project: it reads a module with tree-sitter's grammar and gives every
operator the meaning that Lamport's *Specifying Systems* gives it. Records and functions are
dictionaries, and so a state is a dictionary from variables to values.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import tree_sitter
import tree_sitter_tlaplus

Env = dict[str, Any]
Meaning = Callable[[Env], Any]
Solver = Callable[[Env, Env], Iterator[Env]]

INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "plus": lambda a, b: a + b,
    "minus": lambda a, b: a - b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "lt": lambda a, b: a < b,
    "leq": lambda a, b: a <= b,
    "geq": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "dots_2": lambda a, b: range(a, b + 1),
}


def parse(text: str) -> tree_sitter.Tree:
    """The tree of a module. Raises SyntaxError with the first place that is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        language = tree_sitter.Language(tree_sitter_tlaplus.language())
    tree = tree_sitter.Parser(language).parse(text.encode())
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.type == "ERROR" or node.is_missing:
            raise SyntaxError(f"line {node.start_point[0] + 1}: {text_of(node)[:60]!r}")
        stack += reversed(node.children)
    return tree


def text_of(node: Any) -> str:
    """What a node was written as."""
    return str(node.text.decode())


class Module:
    """A module with values for its constants."""

    def __init__(self, text: str, constants: dict[str, int]) -> None:
        self.tree = parse(text)
        (module,) = (n for n in self.tree.root_node.children if n.type == "module")
        self.definitions = {
            text_of(n.child_by_field_name("name")): n
            for n in module.children
            if n.type == "operator_definition"
        }
        self.variables = [
            text_of(n)
            for declaration in module.children
            if declaration.type == "variable_declaration"
            for n in declaration.children
            if n.type == "identifier"
        ]
        self.constants = constants
        self._meanings: dict[int, Meaning] = {}
        self._solvers: dict[int, Solver] = {}

    def list_initial(self) -> list[Env]:
        """The states that satisfy Init."""
        return self._solve_definition("Init", {})

    def list_successors(self, state: Env) -> list[Env]:
        """The states that Next leads to."""
        return self._solve_definition("Next", state)

    def holds(self, name: str, state: Env) -> bool:
        """What a state predicate says."""
        return bool(self.mean(self._body(name))({**self.constants, **state}))

    def _body(self, name: str) -> Any:
        return self.definitions[name].child_by_field_name("definition")

    def _solve_definition(self, name: str, state: Env) -> list[Env]:
        env = {**self.constants, **state}
        return list(self.solve(self._body(name))(env, {}))

    def mean(self, node: Any) -> Meaning:
        """The meaning of an expression."""
        if node.id not in self._meanings:
            self._meanings[node.id] = getattr(self, f"_mean_{node.type}")(node)
        return self._meanings[node.id]

    def _apply(self, name: str, arguments: list[Meaning]) -> Meaning:
        if name not in self.definitions:
            return lambda env: env[name]() if callable(env[name]) else env[name]
        definition = self.definitions[name]
        formals = [text_of(n) for n in definition.children_by_field_name("parameter")]
        formals = [f for f in formals if f not in ("(", ")", ",")]
        body = self.mean(definition.child_by_field_name("definition"))
        names = (*self.constants, *self.variables)

        def call(env: Env) -> Any:
            inner = {n: env[n] for n in names if n in env}
            inner |= {f: a(env) for f, a in zip(formals, arguments, strict=True)}
            return body(inner)

        return call

    def _mean_identifier_ref(self, node: Any) -> Meaning:
        return self._apply(text_of(node), [])

    def _mean_bound_op(self, node: Any) -> Meaning:
        parts = [n for n in node.children_by_field_name("parameter") if n.is_named]
        name = text_of(node.child_by_field_name("name"))
        return self._apply(name, [self.mean(n) for n in parts])

    def _mean_nat_number(self, node: Any) -> Meaning:
        value = int(text_of(node))
        return lambda env: value

    def _mean_boolean(self, node: Any) -> Meaning:
        value = text_of(node) == "TRUE"
        return lambda env: value

    def _mean_parentheses(self, node: Any) -> Meaning:
        return self.mean(node.named_children[0])

    def _mean_bound_prefix_op(self, node: Any) -> Meaning:
        operand = self.mean(node.child_by_field_name("rhs"))
        match node.child_by_field_name("symbol").type:
            case "lnot":
                return lambda env: not operand(env)
            case "negative":
                return lambda env: -operand(env)
        raise NotImplementedError(text_of(node))

    def _mean_bound_infix_op(self, node: Any) -> Meaning:
        symbol = node.child_by_field_name("symbol").type
        one = self.mean(node.child_by_field_name("lhs"))
        other = self.mean(node.child_by_field_name("rhs"))
        match symbol:
            case "land":
                return lambda env: one(env) and other(env)
            case "lor":
                return lambda env: one(env) or other(env)
        operator = INFIX[symbol]
        return lambda env: operator(one(env), other(env))

    def _mean_conj_list(self, node: Any) -> Meaning:
        items = [self.mean(n) for n in list_items(node)]
        return lambda env: all(item(env) for item in items)

    def _mean_disj_list(self, node: Any) -> Meaning:
        items = [self.mean(n) for n in list_items(node)]
        return lambda env: any(item(env) for item in items)

    def _mean_if_then_else(self, node: Any) -> Meaning:
        parts = (self.mean(node.child_by_field_name(n)) for n in ("if", "then", "else"))
        condition, one, other = parts
        return lambda env: one(env) if condition(env) else other(env)

    def _mean_record_value(self, node: Any) -> Meaning:
        base, field = self.mean(node.named_children[0]), text_of(node.named_children[1])
        return lambda env: base(env)[field]

    def _mean_function_evaluation(self, node: Any) -> Meaning:
        base, index = map(self.mean, node.named_children)
        return lambda env: base(env)[index(env)]

    def _mean_record_literal(self, node: Any) -> Meaning:
        children = [n for n in node.named_children if n.type != "all_map_to"]
        names, values = children[::2], children[1::2]
        pairs = [(text_of(a), self.mean(b)) for a, b in zip(names, values, strict=True)]
        return lambda env: {name: value(env) for name, value in pairs}

    def _bind(self, node: Any) -> tuple[str, Meaning]:
        """The variable of a quantifier and the set that it is taken from."""
        name = node.child_by_field_name("intro")
        members = node.child_by_field_name("set") or node.named_children[-1]
        return text_of(name), self.mean(members)

    def _mean_function_literal(self, node: Any) -> Meaning:
        (name, members), body = (
            self._bind(node.named_children[0]),
            self.mean(node.named_children[-1]),
        )
        return lambda env: {i: body({**env, name: i}) for i in members(env)}

    def _mean_let_in(self, node: Any) -> Meaning:
        body = self.mean(node.child_by_field_name("expression"))
        return lambda env: body(self._define(node, env))

    def _define(self, node: Any, env: Env) -> Env:
        """The environment with the definitions of a LET, each of them evaluated when asked for."""
        inner = dict(env)
        for definition in node.children_by_field_name("definitions"):
            meaning = self.mean(definition.child_by_field_name("definition"))
            inner[text_of(definition.child_by_field_name("name"))] = cache(partial(meaning, inner))
        return inner

    def _mean_except(self, node: Any) -> Meaning:
        base = self.mean(node.child_by_field_name("expr_to_update"))
        updates = [self._read_update(n) for n in node.named_children if n.type == "except_update"]

        def change(env: Env) -> Any:
            value = base(env)
            for parts, new in updates:
                value = put(value, [part(env) for part in parts], new(env))
            return value

        return change

    def _read_update(self, node: Any) -> tuple[list[Meaning], Meaning]:
        (specifier,) = (n for n in node.named_children if n.type == "except_update_specifier")
        parts: list[Meaning] = []
        for part in specifier.named_children:
            inside = part.named_children[0]
            is_field = part.type == "except_update_record_field"
            parts.append(partial(get_name, text_of(inside)) if is_field else self.mean(inside))
        return parts, self.mean(node.child_by_field_name("new_val"))

    def solve(self, node: Any) -> Solver:
        """What an action lets the variables become: each way to satisfy it, one assignment."""
        if node.id not in self._solvers:
            solver = getattr(self, f"_solve_{node.type}", self._solve_condition)
            self._solvers[node.id] = solver(node)
        return self._solvers[node.id]

    def _solve_condition(self, node: Any) -> Solver:
        meaning = self.mean(node)
        return lambda env, after: iter([after] if meaning(env) else [])

    def _solve_conj_list(self, node: Any) -> Solver:
        solvers = [self.solve(n) for n in list_items(node)]

        def solve(env: Env, after: Env) -> Iterator[Env]:
            found: Iterator[Env] = iter([after])
            for solver in solvers:
                found = chain_solutions(solver, env, found)
            return found

        return solve

    def _solve_disj_list(self, node: Any) -> Solver:
        solvers = [self.solve(n) for n in list_items(node)]
        return lambda env, after: (x for solver in solvers for x in solver(env, after))

    def _solve_bounded_quantification(self, node: Any) -> Solver:
        bounds = [self._bind(n) for n in node.children_by_field_name("bound") if n.is_named]
        body = self.solve(node.child_by_field_name("expression"))
        return lambda env, after: (
            x for each in choose_members(bounds, env) for x in body(each, after)
        )

    def _solve_let_in(self, node: Any) -> Solver:
        body = self.solve(node.child_by_field_name("expression"))
        return lambda env, after: body(self._define(node, env), after)

    def _solve_identifier_ref(self, node: Any) -> Solver:
        definition = self.definitions.get(text_of(node))
        if definition is None or not has_prime(definition):
            return self._solve_condition(node)
        return self.solve(definition.child_by_field_name("definition"))

    def _solve_bound_prefix_op(self, node: Any) -> Solver:
        if node.child_by_field_name("symbol").type != "unchanged":
            return self._solve_condition(node)
        inside = node.child_by_field_name("rhs")
        if inside.type == "identifier_ref":
            inside = self._body(text_of(inside))
        names = [text_of(n) for n in inside.named_children if n.type == "identifier_ref"]
        return lambda env, after: iter([{**after, **{n: env[n] for n in names}}])

    def _solve_bound_infix_op(self, node: Any) -> Solver:
        left = node.child_by_field_name("lhs")
        is_equation = node.child_by_field_name("symbol").type == "eq"
        name = text_of(left).removesuffix("'")
        is_first = name == text_of(left) and name in self.variables
        if not is_equation or not (is_first or left.type == "bound_postfix_op"):
            return self._solve_condition(node)
        value = self.mean(node.child_by_field_name("rhs"))

        def assign(env: Env, after: Env) -> Iterator[Env]:
            if is_first and name in env:
                return iter([after] if env[name] == value(env) else [])
            return iter([{**after, name: value(env)}])

        return assign


def has_prime(node: Any) -> bool:
    """It is an action: it speaks of the state after a step."""
    return node.type in ("prime", "unchanged") or any(has_prime(child) for child in node.children)


def list_items(node: Any) -> list[Any]:
    """What stands behind the bullets of a list."""
    items = [n for n in node.named_children if n.type in ("conj_item", "disj_item")]
    return [[n for n in item.named_children if n.type != "comment"][-1] for item in items]


def chain_solutions(solver: Solver, env: Env, found: Iterator[Env]) -> Iterator[Env]:
    """Each assignment so far, with each way to satisfy one condition more."""
    for after in found:
        yield from solver(env, after)


def choose_members(bounds: list[tuple[str, Meaning]], env: Env) -> Iterator[Env]:
    """The environments in which each variable is a member of its set."""
    sets = [members(env) for _, members in bounds]
    for chosen in itertools.product(*sets):
        yield {**env, **dict(zip((name for name, _ in bounds), chosen, strict=True))}


def put(value: Any, parts: list[Any], new: Any) -> Any:
    """A record or function with one part exchanged; a part that is not there stays away."""
    if not parts:
        return new
    first, *rest = parts
    assert first in value, f"EXCEPT changes {first!r}, which is not there"
    return {**value, first: put(value[first], rest, new)}


def get_name(name: str, env: Env) -> str:
    """The field of a record, whatever the state is."""
    return name
