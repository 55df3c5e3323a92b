"""Terms: what a rule's leaves become when the rule is recorded instead of executed.

A rule is a plain Python function over numbers and truth values. Run on ``int`` and ``bool``, it
*is* the reference. Run on leaves from this module, it produces a term per effect and per condition,
and these terms are translated to Z3 and to compiled integer code. Nothing is transcribed by hand.

In rules use ``+ - < <= > >= == & |`` and the functions below. A term refuses to be a Python truth
value, so an accidental ``if``, ``and``, ``or``, ``min`` or ``not`` raises immediately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from reference.language.operator_table import OPERATORS, Sort


class TermError(TypeError):
    """Raised when a term is used in a way that would silently lose its meaning."""


class Term:
    """One hash-consed expression: equal expressions are the same object.

    ``operator`` is one of OPERATORS, ``arguments`` are terms, ``payload`` is the name of a leaf or
    the value of a constant. ``parts`` is how many parts it has printed in full, counted no further
    than one more than WRITTEN_PARTS_MAX.
    """

    __slots__ = ("arguments", "operator", "parts", "payload", "sort")

    operator: str
    arguments: tuple[Term, ...]
    payload: Any
    sort: Sort
    parts: int

    def __bool__(self) -> bool:
        raise TermError(
            f"a recorded term has no truth value: {self!r}; in rules use choose, negate, all_of, "
            "any_of, minimum, maximum, & and | instead of if, not, and, or, min and max"
        )

    def __add__(self, other: Any) -> Term:
        return record("add", self, other)

    def __radd__(self, other: Any) -> Term:
        return record("add", other, self)

    def __sub__(self, other: Any) -> Term:
        return record("subtract", self, other)

    def __rsub__(self, other: Any) -> Term:
        return record("subtract", other, self)

    def __lt__(self, other: Any) -> Term:
        return record("less", self, other)

    def __le__(self, other: Any) -> Term:
        return record("less_equal", self, other)

    def __gt__(self, other: Any) -> Term:
        return record("less", other, self)

    def __ge__(self, other: Any) -> Term:
        return record("less_equal", other, self)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return record("equal", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return record("not", record("equal", self, other))

    def __and__(self, other: Any) -> Term:
        return record("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Term:
        return record("or", self, other)

    __ror__ = __or__

    def __invert__(self) -> Term:
        raise TermError("write negate(condition): ~True is -2 in Python")

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        is_short = self.parts <= WRITTEN_PARTS_MAX
        return _write_out(self, {}) if is_short else _write_each_part_once(self)


_interned: dict[tuple[Any, ...], Term] = {}


def leaf(name: str, sort: Sort) -> Term:
    """A free variable, named by its path in the state, for example ``links.0.is_open``."""
    return _intern("leaf", (), name, sort)


def constant(value: int | bool) -> Term:
    """A literal number or truth value."""
    sort = Sort.BOOLEAN if isinstance(value, bool) else Sort.INTEGER
    return _intern("constant", (), value, sort)


def as_term(value: Any) -> Term:
    """A number or truth value as a literal; a term unchanged."""
    return value if isinstance(value, Term) else constant(value)


def record(operator: str, *operands: Any) -> Term:
    """The term ``operator(operands)``, simplified if an operand is a constant.

    Raises TermError for operands of the wrong sort.
    """
    arguments = tuple([x if isinstance(x, Term) else _lift(x) for x in operands])
    known = OPERATORS[operator]
    sorts, result = known.sorts, known.result
    if tuple([a.sort for a in arguments]) != sorts:
        wanted = ", ".join(s.value for s in sorts)
        raise TermError(f"{operator} takes ({wanted}), not {arguments!r}")
    if all(a.operator == "constant" for a in arguments):
        return constant(evaluate(operator, *[a.payload for a in arguments]))
    simplified = _simplify(operator, arguments)
    return simplified if simplified is not None else _intern(operator, arguments, None, result)


def make_raw(operator: str, *arguments: Term) -> Term:
    """The term ``operator(arguments)`` unsimplified: to check that ``record`` may simplify it."""
    return _intern(operator, arguments, None, OPERATORS[operator].result)


def walk(roots: Iterable[Term]) -> Iterator[Term]:
    """Every term below the roots once, arguments before the terms that use them."""
    done: set[int] = set()
    stack = list(roots)
    stack.reverse()
    while stack:
        term = stack[-1]
        if id(term) in done:
            stack.pop()
        elif waiting := [a for a in term.arguments if id(a) not in done]:
            waiting.reverse()
            stack.extend(waiting)
        else:
            done.add(id(term))
            yield stack.pop()


def find_shared(terms: Iterable[Term]) -> list[Term]:
    """The terms with operands that occur more than once below these, arguments first."""
    uses: dict[int, int] = {}
    roots = list(terms)
    nodes = list(walk(roots))
    for used in [*roots, *(a for node in nodes for a in node.arguments)]:
        uses[id(used)] = uses.get(id(used), 0) + 1
    return [node for node in nodes if node.arguments and uses[id(node)] > 1]


WRITTEN_PARTS_MAX = 100_000
"""A term with more parts is printed with each part once: in full, some would fill a disk."""


def _write_out(term: Term, written: dict[int, str]) -> str:
    """The term in full; ``written`` has the parts that are written already, by identity."""
    text = written.get(id(term))
    if text is None:
        if term.arguments:
            inside = ", ".join([_write_out(a, written) for a in term.arguments])
            text = f"{term.operator}({inside})"
        else:
            text = str(term.payload)
        written[id(term)] = text
    return text


@lru_cache(maxsize=512)
def _write_each_part_once(term: Term) -> str:
    """A line for each part, which names the lines of its own parts.

    Cached because many structures share their largest terms.
    """
    names: dict[int, str] = {}
    lines: list[str] = []
    for number, part in enumerate(walk([term])):
        names[id(part)] = str(part.payload) if not part.arguments else f"#{number}"
        if part.arguments:
            told = ", ".join(names[id(a)] for a in part.arguments)
            lines.append(f"#{number} = {part.operator}({told})")
    return "\n".join(lines)


@lru_cache(maxsize=4096)
def _list_parts(term: Term) -> tuple[Term, ...]:
    """``walk`` of one term, cached because its value is needed in many states."""
    return tuple(walk([term]))


def substitute(term: Term, values: dict[str, int | bool]) -> int | bool:
    """The value of a term when its leaves have these values."""
    results: dict[int, Any] = {}
    for node in _list_parts(term):
        if node.operator == "leaf":
            results[id(node)] = values[node.payload]
        elif node.operator == "constant":
            results[id(node)] = node.payload
        else:
            results[id(node)] = evaluate(node.operator, *(results[id(a)] for a in node.arguments))
    return results[id(term)]  # type: ignore[no-any-return]


def evaluate(operator: str, *values: Any) -> int | bool:
    """One operator on numbers: the meaning that every other interpretation must agree with."""
    value: int | bool = OPERATORS[operator].meaning(*values)
    return value


def _intern(operator: str, arguments: tuple[Term, ...], payload: Any, sort: Sort) -> Term:
    # Identities, because hashes of terms and of sorts are computed by slower Python code.
    key = (operator, tuple(map(id, arguments)), payload, id(sort))
    term = _interned.get(key)
    if term is None:
        term = object.__new__(Term)
        term.operator, term.arguments, term.payload, term.sort = operator, arguments, payload, sort
        term.parts = min(1 + sum([a.parts for a in arguments]), WRITTEN_PARTS_MAX + 1)
        _interned[key] = term
    return term


def _lift(value: Any) -> Term:
    if isinstance(value, (bool, int)):
        return constant(value)
    raise TermError(f"not a number, a truth value or a term: {value!r}")


def _simplify(  # noqa: PLR0911
    operator: str, arguments: tuple[Term, ...]
) -> Term | None:
    """Drop neutral and absorbing constants: a static structure then leaves no dead conditions."""
    first, last = arguments[0], arguments[-1]
    if operator in ("and", "or"):
        absorbing = operator == "or"
        for one, other in ((first, last), (last, first)):
            if one.operator == "constant":
                return one if one.payload is absorbing else other
        return first if first is last else None
    if operator == "not" and first.operator == "not":
        return first.arguments[0]
    if operator in ("choose", "choose_flag"):
        if first.operator == "constant":
            return arguments[1] if first.payload else arguments[2]
        return arguments[1] if arguments[1] is arguments[2] else None
    if operator in ("add", "subtract") and last.operator == "constant" and last.payload == 0:
        return first
    if operator == "add" and first.operator == "constant" and first.payload == 0:
        return last
    if operator in ("minimum", "maximum") and first is last:
        return first
    if operator == "less_equal" and _is_bound(first, "minimum", last):
        return constant(True)
    return None


def _is_bound(term: Term, operator: str, by: Term) -> bool:
    """``minimum(x, by)`` never exceeds ``by``: such ranges are never empty."""
    return term.operator == operator and any(a is by for a in term.arguments)


def specialise(term: Term, values: dict[str, int | bool]) -> Term:
    """The term with some leaves replaced by numbers, and simplified."""
    results: dict[int, Term] = {}
    for node in walk([term]):
        if node.operator == "leaf":
            name = node.payload
            results[id(node)] = constant(values[name]) if name in values else node
        elif node.operator == "constant":
            results[id(node)] = node
        else:
            results[id(node)] = record(node.operator, *(results[id(a)] for a in node.arguments))
    return results[id(term)]
