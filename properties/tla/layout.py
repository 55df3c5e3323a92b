"""Nodes as TLA+ text: on one line where it fits, otherwise on lines that show the structure."""

from __future__ import annotations

from collections.abc import Sequence

from properties.tla.nodes import (
    Apply,
    Call,
    Except,
    Field,
    Index,
    Let,
    Name,
    Node,
    Number,
    Over,
    Record,
)

WIDTH = 96
"""The longest line, as long as it can be broken."""

INFIX = {
    "and": "/\\",
    "or": "\\/",
    "add": "+",
    "subtract": "-",
    "quotient": "\\div",
    "remainder": "%",
    "less": "<",
    "less_equal": "<=",
    "equal": "=",
}
_OPPOSITE = {"less": "less_equal", "less_equal": "less"}
_MIRRORED = {"less": ">", "less_equal": ">="}
_QUANTIFIER = {"and": "\\A", "or": "\\E"}
_EXTREME = {"minimum": ("Min", "Least"), "maximum": ("Max", "Greatest")}

HELPERS = {
    "Min": "Min(a, b) == IF a <= b THEN a ELSE b",
    "Max": "Max(a, b) == IF a >= b THEN a ELSE b",
    "Least": "Least(numbers) == CHOOSE a \\in numbers : \\A b \\in numbers : a <= b",
    "Greatest": "Greatest(numbers) == CHOOSE a \\in numbers : \\A b \\in numbers : a >= b",
}
"""What the text of a node may use beside the operators of TLA+ and of the module."""


def render(node: Node, column: int = 0) -> str:
    """The text of a node that begins in a column; its other lines are indented as needed."""
    return "\n".join(_break(node, column))


def render_equation(head: str, node: Node, column: int) -> list[str]:
    """The lines of ``head = node``: unlike a definition, an equation binds closer than most."""
    return _enclosed(f"{head} = ", node, column)


def render_index(index: Index) -> str:
    """The member of a family."""
    return f"1 - {index.value}" if index.is_other else str(index.value)


def render_set(over: Over) -> str:
    """The members that a node is told for."""
    if over.chosen == "others":
        return f"{over.family} \\ {{{over.own}}}"
    return f"0..({over.own} - 1)" if over.chosen == "before" else over.family


def render_parts(parts: Sequence[str | Index]) -> str:
    """The way into a record or a function."""
    return "".join(f"[{render_index(p)}]" if isinstance(p, Index) else f".{p}" for p in parts)


def write(node: Node) -> str:  # noqa: PLR0911
    """The node on one line."""
    match node:
        case Name(name):
            return name
        case Number(value, name):
            return name or str(value)
        case Field(base, parts):
            return write(base) + render_parts(parts)
        case Call(function, arguments):
            inside = ", ".join(
                render_index(a) if isinstance(a, Index) else write(a) for a in arguments
            )
            return f"{function}({inside})" if arguments else function
        case Over(variable=variable, body=body):
            return f"[{variable} \\in {render_set(node)} |-> {write(body)}]"
        case Except(base, changes):
            inside = ", ".join(f"!{render_parts(parts)} = {write(new)}" for parts, new in changes)
            return f"[{write(base)} EXCEPT {inside}]"
        case Record():
            return _write_record(node)
        case Let(bindings, body):
            inside = " ".join(f"{name} == {write(value)}" for name, value in bindings)
            return f"LET {inside} IN {write(body)}"
        case Apply():
            return _write_apply(node)
    raise AssertionError(node)


def _write_record(node: Record) -> str:
    if node.cls is not None:
        return f"[{', '.join(f'{key} |-> {write(new)}' for key, new in node.fields)}]"
    if not node.fields:
        return "<<>>"
    families = [key.family for key, _ in node.fields if isinstance(key, Index)]
    pairs = ((render_index(k), new) for k, new in node.fields if isinstance(k, Index))
    cases = " [] ".join(f"i = {number} -> {write(new)}" for number, new in pairs)
    return f"[i \\in {families[0]} |-> CASE {cases}]"


def _write_apply(node: Apply) -> str:  # noqa: PLR0911
    operator, operands = node.operator, node.operands
    implied = find_implication(node)
    if implied is not None:
        return f"{enclose(implied[0])} => {enclose(implied[1])}"
    if operator in _EXTREME:
        return _write_extreme(*_EXTREME[operator], operands)
    if operator in ("choose", "choose_flag"):
        condition, one, other = map(write, operands)
        return f"IF {condition} THEN {one} ELSE {other}"
    if operator == "not":
        return _write_not(operands[0])
    if operator in _MIRRORED and isinstance(operands[0], Number):
        return f" {_MIRRORED[operator]} ".join(map(enclose, reversed(operands)))
    if operator in _QUANTIFIER:
        operands = list_same(operator, operands)
        parts = [_quantify(operator, o) if isinstance(o, Over) else o for o in operands]
        if len(parts) == 1:
            return str(parts[0])
        texts = (f"({p})" if isinstance(p, str) else enclose(p) for p in parts)
        return f" {INFIX[operator]} ".join(texts)
    if operator == "add":
        return " + ".join(_count(o) if isinstance(o, Over) else enclose(o) for o in operands)
    return f" {INFIX[operator]} ".join(map(enclose, operands))


def _write_not(inner: Node) -> str:
    match inner:
        case Apply(("less" | "less_equal") as operator, (one, other)):
            return write(Apply(_OPPOSITE[operator], (other, one)))
        case Apply("equal", (one, other)):
            return f"{enclose(one)} # {enclose(other)}"
    return f"~{enclose(inner)}"


def list_same(operator: str, operands: Sequence[Node]) -> tuple[Node, ...]:
    """The operands, with those of the same operator below them in their place."""
    found: list[Node] = []
    for operand in operands:
        match operand:
            case Apply(inner, others) if inner == operator and find_implication(operand) is None:
                found += list_same(operator, others)
            case _:
                found.append(operand)
    return tuple(found)


def _quantify(operator: str, over: Over) -> str:
    head = f"{_QUANTIFIER[operator]} {over.variable} \\in {render_set(over)}"
    return f"{head} : {write(over.body)}"


def _count(over: Over) -> str:
    """How many members: the sum of 1 for each for which something holds."""
    match over.body:
        case Apply("choose", (condition, Number(1), Number(0))):
            return f"Cardinality({{{over.variable} \\in {render_set(over)} : {write(condition)}}})"
    raise ValueError(f"a sum over a family is written only where it counts: {over}")


def _write_extreme(of_two: str, of_set: str, operands: Sequence[Node]) -> str:
    if not any(isinstance(operand, Over) for operand in operands):
        text = write(operands[0])
        for operand in operands[1:]:
            text = f"{of_two}({text}, {write(operand)})"
        return text
    single = [write(o) for o in operands if not isinstance(o, Over)]
    sets = [f"{{{', '.join(single)}}}"] if single else []
    overs = (operand for operand in operands if isinstance(operand, Over))
    sets += [f"{{{write(o.body)} : {o.variable} \\in {render_set(o)}}}" for o in overs]
    return of_set + "(" + " \\cup ".join(sets) + ")"


def enclose(node: Node) -> str:
    """The node as an operand: in parentheses unless it is one thing."""
    text = write(node)
    is_single = isinstance(node, (Name, Field, Call, Except, Record, Over))
    is_function = isinstance(node, Apply) and node.operator in _EXTREME
    is_count = text.startswith("~") and not text.startswith("~(") and isinstance(node, Apply)
    is_number = isinstance(node, Number) and not text.startswith("-")
    return text if is_single or is_function or is_count or is_number else f"({text})"


def find_implication(node: Node) -> tuple[Node, Node] | None:
    """Premise and conclusion, where a node says that one thing or the opposite of another holds."""
    match node:
        case Apply("or", (Apply("not", (premise,)), conclusion)):
            return None if isinstance(conclusion, Over) else (premise, conclusion)
    return None


def _break(node: Node, column: int) -> list[str]:  # noqa: PLR0911, PLR0912
    """The lines of a node; the first is not indented, the others are indented as they must be."""
    text = write(node)
    if column + len(text) <= WIDTH and not isinstance(node, Let):
        return [text]
    match node:
        case Let(bindings, body):
            items = [_head(f"{name} == ", value, column + 4) for name, value in bindings]
            lines = _join([[f"LET {items[0][0]}", *items[0][1:]]], column)
            lines += [line for item in items[1:] for line in _indent(item, column + 4)]
            return [*lines, *_indent(_head("IN  ", body, column), column)]
        case Call(function, arguments) if arguments:
            return _break_call(function, arguments, column)
        case Apply(("and" | "or") as operator, operands) if find_implication(node) is None:
            return _break_junction(operator, operands, column)
        case Apply(("choose" | "choose_flag"), (condition, one, other)):
            heads = ("IF ", "THEN ", "ELSE ")
            parts = (condition, one, other)
            return _join([_head(h, p, column) for h, p in zip(heads, parts, strict=True)], column)
        case Apply():
            implied = find_implication(node)
            if implied is not None:
                first = _head("", implied[0], column)
                return _join([first, _head("=> ", implied[1], column)], column)
            if node.operator in _EXTREME and not any(isinstance(o, Over) for o in node.operands):
                *before, last = node.operands
                start = before[0] if len(before) == 1 else Apply(node.operator, tuple(before))
                return _break_call(_EXTREME[node.operator][0], (start, last), column)
            if node.operator in INFIX and len(node.operands) == 2:
                sign = f"{INFIX[node.operator]} "
                one, other = node.operands
                return _join([_enclosed("", one, column), _enclosed(sign, other, column)], column)
        case Except(base, changes):
            inner = column + 4
            items = [_head(f"!{render_parts(parts)} = ", new, inner) for parts, new in changes]
            return _bracket(f"[{write(base)} EXCEPT", items, inner)
        case Record(cls, fields) if cls is not None:
            items = [_head(f"{key} |-> ", new, column + 1) for key, new in fields]
            begin, *rest = _bracket("[", items, column + 1)[1:]
            return ["[" + begin.strip(), *rest]
        case Record(None, fields) if fields:
            return _break_cases(fields, column)
        case Over(variable=variable, body=body):
            inner = column + 4
            head = f"[{variable} \\in {render_set(node)} |->"
            return _bracket(head, [_head("", body, inner)], inner)
    return [text]


def _break_cases(fields: Sequence[tuple[str | Index, Node]], column: int) -> list[str]:
    """A function with all its values, one below another."""
    families = [key.family for key, _ in fields if isinstance(key, Index)]
    inner = column + 4
    items = []
    for number, (key, new) in enumerate(fields):
        sign = "[]  " if number else "CASE "
        index = render_index(key) if isinstance(key, Index) else key
        items.append(_head(f"{sign} i = {index} -> ", new, inner))
    lines = [f"[i \\in {families[0]} |->", *_indent(_join(items, inner), inner)]
    return [*lines[:-1], lines[-1] + "]"]


def _break_call(function: str, arguments: Sequence[Node | Index], column: int) -> list[str]:
    inner = column + len(function) + 1
    items = [[render_index(a)] if isinstance(a, Index) else _head("", a, inner) for a in arguments]
    first, *rest = _bracket("", items, inner)[1:]
    lines = [f"{function}({first.strip()}", *rest]
    return [*lines[:-1], lines[-1].removesuffix("]") + ")"]


def _enclosed(head: str, node: Node, column: int) -> list[str]:
    """An operand of an infix operator, in parentheses where it needs them."""
    if enclose(node) == write(node):
        return _head(head, node, column)
    lines = _break(node, column + len(head) + 1)
    return (
        [f"{head}({lines[0]}", *lines[1:-1], f"{lines[-1]})"]
        if lines[1:]
        else [f"{head}({lines[0]})"]
    )


def _break_junction(operator: str, operands: Sequence[Node], column: int) -> list[str]:
    bullet = INFIX[operator]
    operands = list_same(operator, operands)
    if len(operands) == 1:
        return _break_operand(operator, operands[0], column)
    inner = column + len(bullet) + 1
    items = [_break_operand(operator, operand, inner) for operand in operands]
    return _join([[f"{bullet} {first}", *rest] for first, *rest in items], column)


def _break_operand(operator: str, operand: Node, column: int) -> list[str]:
    if not isinstance(operand, Over):
        return _break(operand, column)
    head = f"{_QUANTIFIER[operator]} {operand.variable} \\in {render_set(operand)} :"
    if column + len(head) + 1 + len(write(operand.body)) <= WIDTH:
        return [f"{head} {write(operand.body)}"]
    return [head, *_indent(_break(operand.body, column + 4), column + 4)]


def _head(head: str, node: Node, column: int) -> list[str]:
    """A node behind a few words; where it takes several lines, a junction is enclosed."""
    lines = _break(node, column + len(head))
    if len(lines) > 1 and lines[0].startswith(("/\\", "\\/")):
        lines = _break(node, column + len(head) + 1)
        lines = [f"({lines[0]}", *lines[1:-1], f"{lines[-1]})"]
    return [head + lines[0], *lines[1:]]


def _join(items: Sequence[Sequence[str]], column: int) -> list[str]:
    """Items below one another; each is indented but the first line of the first."""
    lines: list[str] = []
    for first, *rest in items:
        lines += [" " * column + first if lines else first, *rest]
    return lines


def _indent(lines: Sequence[str], column: int) -> list[str]:
    first, *rest = lines
    return [" " * column + first, *rest]


def _bracket(head: str, items: Sequence[Sequence[str]], column: int) -> list[str]:
    """Items between brackets, one below another."""
    lines = [head]
    for number, item in enumerate(items):
        end = "]" if number == len(items) - 1 else ","
        lines += _indent([*item[:-1], item[-1] + end], column)
    return lines
