"""The rules of the house: import walls, file sizes, the shape of rules, no foreign words."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from properties.worlds.catalogue import OTHER_WORLDS
from reference.worlds.replication.rules import RULES

ROOT = Path(__file__).parents[1]
ROOMS = ("reference", "brokers", "properties", "spark_fuzz", "book", "command_line")

FUNCTION_LINES_MAX = 40
FOLDER_ENTRIES_MAX = 16
UNCOUNTED = ("__init__.py", "__pycache__", "py.typed")
LARGE_FOLDERS = {
    "reference/store": 17,  # a module for each part of the store
    "reference/worlds/replication": 19,  # a module for each topic of the rules
    "reference/worlds/replication/changes": 24,  # a module for each change
    "command_line": 29,  # a module for each verb, and folders for what the larger ones do
}

ENGINES = {"z3", "hypothesis", "pyspark", "numpy", "pyarrow", "pandas", "click"}
PROCESSES = {"asyncio", "concurrent", "fcntl", "multiprocessing", "select", "selectors", "signal"}
PROCESSES |= {"socket", "socketserver", "ssl", "subprocess", "threading", "urllib", "http"}
CLOCKS = {"datetime", "sched", "time"}
FILES = {"glob", "io", "os", "pathlib", "shutil", "sqlite3", "tempfile"}
FORBIDDEN = {
    "reference": ENGINES | PROCESSES | CLOCKS | FILES,
    "brokers": ENGINES,
    "properties": {"pyspark", "numpy", "pyarrow", "click"},
    "spark_fuzz": {"click", "rich", "hypothesis"},
    "book": {"click", "rich", "pyspark", "hypothesis"},
    "command_line": {"pyspark", "z3", "hypothesis"},
}
ROOMS_ABOVE = {
    "reference": {"brokers", "properties", "spark_fuzz", "book", "command_line", "tests"},
    "brokers": {"properties", "spark_fuzz", "book", "command_line", "tests"},
    "properties": {"spark_fuzz", "book", "command_line", "tests"},
    "spark_fuzz": {"book", "command_line", "tests"},
    "book": {"command_line", "tests"},
    "command_line": {"tests"},
}
in_each_room = pytest.mark.parametrize("room", ROOMS)
"""One test for all files of a room: thousands of short tests take longer than what they look at."""


@cache
def parse_files(room: str) -> Mapping[str, ast.Module]:
    """The files of a room, by their paths in the project."""
    files = sorted((ROOT / room).rglob("*.py"))
    return {str(f.relative_to(ROOT)): ast.parse(f.read_text()) for f in files}


def get_imports(module: ast.Module) -> set[str]:
    """The top-level names that a file imports, wherever it does."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@in_each_room
def test_walls_between_rooms(room: str) -> None:
    """No room imports a library or a room that it must not know."""
    walls = FORBIDDEN[room] | ROOMS_ABOVE[room]
    found = {file: get_imports(module) & walls for file, module in parse_files(room).items()}
    assert found
    assert {} == {file: names for file, names in found.items() if names}


ENGINES_WITHOUT_WORLDS = (
    "properties/z3",
    "properties/walks",
    "properties/exports",
    "spark_fuzz/kernel",
    "spark_fuzz/search",
)
LISTS_OF_STRUCTURES = ("properties.worlds.catalogue", "properties.worlds.judged_instances")


def list_imported(module: ast.Module) -> set[str]:
    """The modules that a file imports from, by their whole names."""
    names = {n.module or "" for n in ast.walk(module) if isinstance(n, ast.ImportFrom)}
    plain = (n for n in ast.walk(module) if isinstance(n, ast.Import))
    return names | {alias.name for node in plain for alias in node.names}


def find_imports() -> dict[str, set[str]]:
    """By module: the modules of the project that it imports, for types or in a function too."""
    files = {file: module for room in ROOMS for file, module in parse_files(room).items()}
    names = {f.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): f for f in files}
    found: dict[str, set[str]] = {}
    for name, file in names.items():
        imported = {
            f"{n.module}.{alias.name}"
            for n in ast.walk(files[file])
            if isinstance(n, ast.ImportFrom)
            for alias in n.names
        }
        known = {i if i in names else i.rpartition(".")[0] for i in imported} & names.keys()
        is_package = {i for i in known if name.startswith(f"{i}.")}
        found[name] = known - is_package - {name}
    return found


def test_imports_run_in_no_circle() -> None:
    """What imports each other can be read only together."""
    graph = find_imports()
    while ends := {name for name, imported in graph.items() if not imported & graph.keys()}:
        graph = {name: imported for name, imported in graph.items() if name not in ends}
    assert {} == {name: imported & graph.keys() for name, imported in graph.items()}


def test_a_class_name_stands_for_one_thing() -> None:
    """No two modules define classes of one name."""
    files = {file: module for room in ROOMS for file, module in parse_files(room).items()}
    defined: dict[str, list[str]] = {}
    for file, module in files.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                defined.setdefault(node.name, []).append(file)
    assert {} == {name: where for name, where in defined.items() if len(where) > 1}


@pytest.mark.parametrize("folder", ENGINES_WITHOUT_WORLDS)
def test_engines_know_no_world(folder: str) -> None:
    """They hold what a structure's world says, and may ask for all structures, but name none."""
    rooms = {**parse_files("properties"), **parse_files("spark_fuzz")}
    found = {
        f"{file}: {name}"
        for file, module in rooms.items()
        if file.startswith(f"{folder}/")
        for name in list_imported(module) - {*LISTS_OF_STRUCTURES}
        if name.startswith(("reference.worlds", "properties.worlds"))
    }
    assert {file for file in rooms if file.startswith(f"{folder}/")}
    assert found == set()


@pytest.mark.parametrize("room", ["properties", "spark_fuzz", "book", "command_line"])
def test_structures_above_the_reference_know_their_world(room: str) -> None:
    """A bare structure has no claims: these rooms make those of `properties/worlds` only."""
    bare = {
        node.name
        for module in parse_files("reference").values()
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Structure")
    }
    assert {"Structure", "TablesStructure", "TankStructure"} <= bare
    made = {
        (file, name)
        for file, module in parse_files(room).items()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and (name := getattr(node.func, "id", "")) in bare
    }
    assert made == set()


def test_the_reference_opens_no_file() -> None:
    """Its own data come from its package."""
    calls = [n for m in parse_files("reference").values() for n in ast.walk(m) if is_open(n)]
    assert [] == calls
    assert is_open(ast.parse("open(1)", mode="eval").body)


def is_open(node: ast.AST) -> bool:
    """A call of the function that opens a file."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"


@in_each_room
def test_files_have_one_subject(room: str) -> None:
    """A file says in its first line what it is about."""
    files = parse_files(room)
    assert [] == [file for file in files if not (ROOT / file).read_text().startswith('"""')]


def list_functions(module: ast.Module) -> list[ast.FunctionDef]:
    """Every function of a file."""
    return [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef)]


def count_lines(function: ast.FunctionDef) -> int:
    """From the signature to the end, without the docstring."""
    told = function.body[0] if ast.get_docstring(function) else None
    docstring = (told.end_lineno or 0) - told.lineno + 1 if told else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


@in_each_room
def test_functions_are_short(room: str) -> None:
    """At most 40 lines each, decorators and docstrings left out."""
    lengths = {
        f"{file}: {function.name}": count_lines(function)
        for file, module in parse_files(room).items()
        for function in list_functions(module)
    }
    assert {} == {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES_MAX}


@in_each_room
def test_folders_are_small(room: str) -> None:
    """A newcomer finds a place at a glance."""
    for folder in sorted({(ROOT / file).parent for file in parse_files(room)}):
        found = [p for p in folder.iterdir() if p.name not in UNCOUNTED]
        name = str(folder.relative_to(ROOT))
        assert len(found) <= LARGE_FOLDERS.get(name, FOLDER_ENTRIES_MAX), name


def list_modules(room: str) -> set[str]:
    """The modules and folders of a room, without the names of folders inside folders."""
    files = [*(ROOT / room).glob("*.py"), *(ROOT / room).glob("*/__init__.py")]
    return {f.parent.name if f.name == "__init__.py" else f.stem for f in files} - {room}


def list_mapped(room: str) -> list[str]:
    """What the map of a room names: the head of its package."""
    head = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text()))
    return re.findall(r"``(\w+)``", head or "")


@in_each_room
def test_the_map_of_a_room_names_what_is_there(room: str) -> None:
    """Nothing that has another name by now."""
    assert list_mapped(room)
    assert set() == set(list_mapped(room)) - list_modules(room)


def test_the_map_of_the_reference_names_everything() -> None:
    """Each module once: whoever looks for a place finds it."""
    assert sorted(list_modules("reference")) == sorted(list_mapped("reference"))


def test_an_installation_has_all_files() -> None:
    """Python lies in packages, and what else a package needs is named as its data."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert [f"{room}*" for room in ROOMS] == settings["packages"]["find"]["include"]
    found = (f for room in ROOMS for f in (ROOT / room).rglob("*.*") if f.is_file())
    files = {f for f in found if f.parent.name != "__pycache__"}
    packages = {f.parent for f in files if f.name == "__init__.py"}
    assert packages == {f.parent for f in files if f.suffix == ".py"}
    named = {
        file
        for package, patterns in settings["package-data"].items()
        for folder in (packages if package == "*" else {ROOT / package.replace(".", "/")})
        for pattern in patterns
        for file in folder.glob(pattern)
    }
    assert named == {f for f in files if f.suffix != ".py"}


@pytest.mark.parametrize(
    "rule",
    [*RULES.values(), *(r for w in OTHER_WORLDS for r in w.rules.values())],
    ids=lambda r: r.name,
)
def test_rules_have_one_shape(rule: object) -> None:
    """ENABLED WHEN, then EFFECT; at most 25 lines of code; a sentence and a source."""
    lines = inspect.getsource(rule.function).splitlines()  # type: ignore[attr-defined]
    body = lines[next(i for i, line in enumerate(lines) if line.startswith("def ")) :]
    code = [line for line in body if line.strip() and not line.strip().startswith("#")]
    marks = [line.strip() for line in lines if line.strip() in ("# ENABLED WHEN", "# EFFECT")]
    assert ["# ENABLED WHEN", "# EFFECT"] == marks
    assert len(code) <= 32  # 25 lines, a signature and a docstring
    assert rule.sentence  # type: ignore[attr-defined]
    assert rule.source  # type: ignore[attr-defined]
