"""Makes ``release_keys.json``: the keys that each release of RocketMQ reads, from its own source.

Run by hand with a clone that has all tags: ``python -m
tests.reference.configuration.make_release_keys CLONE``. It reads the classes into which
``MixAll#properties2Object`` copies a broker's file: a key is a public setter of one argument, its
default is what the field begins with. Facts are kept, no code.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from attrs import field, frozen

from reference.releases.releases import ALL_RELEASES

Default: TypeAlias = int | float | bool | str | None
Row: TypeAlias = list[object]
"""The kind of a key, its default, and the names that it may have if it is of an enumeration."""

FILE = Path(__file__).parents[3] / "reference/configuration/release_keys.json"
"""The table that is made."""

CLASSES = (
    "common/src/main/java/org/apache/rocketmq/common/BrokerConfig.java",
    "common/src/main/java/org/apache/rocketmq/common/BrokerIdentity.java",
    "store/src/main/java/org/apache/rocketmq/store/config/MessageStoreConfig.java",
    "remoting/src/main/java/org/apache/rocketmq/remoting/netty/NettyServerConfig.java",
    "remoting/src/main/java/org/apache/rocketmq/remoting/netty/NettyClientConfig.java",
    "auth/src/main/java/org/apache/rocketmq/auth/config/AuthConfig.java",
)
"""The classes that BrokerStartup fills, with BrokerIdentity, which BrokerConfig extends."""

STARTUP = "broker/src/main/java/org/apache/rocketmq/broker/BrokerStartup.java"
SET_BEFORE = {"listenPort": 10911}
"""What BrokerStartup sets before it reads the file, in every release."""

REFERENCES = {
    "4.5.0": "16293c33062757ff0627666c3eddd123153af3b6",
    "5.3.4": "8fc57f1468d182eea11c01e089c0250d647dc5f3",
}
"""Where there is no tag: the commit that prepared 4.5.0, and develop two months before 5.3.4."""

FROM_THREADS: Mapping[str, Mapping[str, Row]] = {
    "5.4.0": {},
    "5.5.0": {"checkCommitLogOffsetOnRecover": ["boolean", False]},
    "5.5.1": {},
}
"""Releases whose source was not read, with the keys of which threads speak (issue 10017)."""

SUPPORTED = {
    "int": "int",
    "Integer": "int",
    "long": "long",
    "Long": "long",
    "double": "double",
    "Double": "double",
    "float": "double",
    "Float": "double",
    "boolean": "boolean",
    "Boolean": "boolean",
    "String": "String",
}
"""The arguments that MixAll#properties2Object can make, with the kind of key."""

_SETTER = re.compile(
    r"public\s+(?:(?:synchronized|final|static)\s+)*\w+\s+set(\w+)\s*"
    r"\(\s*(?:final\s+)?(\w+)\s+\w+\s*\)\s*\{(.*?)\n    \}",
    re.DOTALL,
)
_FIELD = re.compile(
    r"^    (?:private|protected|public)\s+(?:(?:static|final|volatile)\s+)*(?P<type>\w+)\s+"
    r"(?P<name>\w+)\s*(?:=\s*(?P<value>(?:\"(?:[^\"\\]|\\.)*\"|[^;\"])*))?;",
    re.MULTILINE,
)
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*$|\s//[^\n\"]*$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"\b(0x[0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?)[lLdDfF]?\b")
_LARGEST = {"Integer.MAX_VALUE": str(2**31 - 1), "Byte.MAX_VALUE": "127"}
_MILLISECONDS = re.compile(r"TimeUnit\.MINUTES\.toMillis\((\d+)\)")
_PROPERTY = re.compile(r"(?:\w+\.parse\w+\(\s*)?System\s*\.getProperty\(.*?,\s*\"([^\"]*)\"\s*\)+")


@frozen
class Source:
    """The source of one release in a clone."""

    clone: Path
    reference: str
    _texts: dict[str, str] = field(factory=dict)

    def run(self, *words: str) -> str:
        """What git prints about the clone."""
        command = ["git", "-C", str(self.clone), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def list_files(self) -> Mapping[str, str]:
        """The blob of each file of the main source."""
        lines = self.run("ls-tree", "-r", self.reference).splitlines()
        rows = (line.split(maxsplit=3) for line in lines)
        return {row[3]: row[2] for row in rows if "src/main/" in row[3]}

    def read(self, path: str) -> str:
        """A file without its comments."""
        if path not in self._texts:
            text = self.run("show", f"{self.reference}:{path}")
            self._texts[path] = _COMMENT.sub("", text)
        return self._texts[path]


@frozen
class Reader:
    """Reads keys and constants of one release."""

    source: Source
    files: Mapping[str, str]

    def list_keys(self, path: str) -> Iterator[tuple[str, Row]]:
        """The keys of a class, in the order of their setters."""
        text = self.source.read(path)
        fields = {m["name"]: m for m in _FIELD.finditer(text)}
        found: dict[str, list[tuple[str, str]]] = {}
        for name, kind, body in _SETTER.findall(text):
            found.setdefault(name[0].lower() + name[1:], []).append((kind, body))
        for key, setters in found.items():
            row = self.describe(key, dict(setters), fields, path)
            if row is not None:
                yield key, row

    def describe(
        self,
        key: str,
        setters: Mapping[str, str],
        fields: Mapping[str, re.Match[str]],
        path: str,
    ) -> Row | None:
        """One key; None if no setter of it takes what a file can hold."""
        kinds = [SUPPORTED[kind] for kind in setters if kind in SUPPORTED]
        if not kinds:
            return None
        kind = "String" if "String" in kinds else kinds[0]
        assigned = re.search(r"(?:this\.)?(\w+)\s*=\s*[^=]", next(iter(setters.values())))
        own = fields.get(assigned[1] if assigned else key) or fields.get(key)
        told = own["value"] if own else None
        if key in SET_BEFORE:
            return [kind, SET_BEFORE[key]]
        is_plain = own is not None and told is None and own["type"] == "boolean"
        default = False if is_plain and key != "useTLS" else self.evaluate(told, path)
        named = re.search(r"(\w+)\.valueOf\(", setters.get("String", ""))
        if named and len(kinds) == 1:
            default = (told or "").rpartition(".")[2]
            return ["choice", default, self.list_names(named[1])]
        return [kind, default]

    def find(self, name: str) -> str | None:
        """The file of a class, in the broker's own modules."""
        modules = ("common/", "store/", "remoting/", "broker/")
        found = [f for f in self.files if f.endswith(f"/{name}.java") and f.startswith(modules)]
        return found[0] if found else None

    def list_names(self, name: str) -> list[str]:
        """The names of an enumeration."""
        path = self.find(name)
        assert path is not None, name
        body = self.source.read(path).partition(f"enum {name}")[2].partition("{")[2]
        return re.findall(r"(?:^|,)\s*([A-Z_]+)\b", re.split(r"[;}]", body)[0])

    def evaluate(self, told: str | None, path: str) -> Default:
        """The value of an initialiser; None if it depends on the host, or is null."""
        text = " ".join((told or "null").split())
        told_property = _PROPERTY.fullmatch(text)
        if told_property:
            return self.evaluate(told_property[1], path)
        text = _MILLISECONDS.sub(lambda m: str(int(m[1]) * 60_000), text)
        for name, value in _LARGEST.items():
            text = text.replace(name, value)
        try:
            text = (
                re.sub(
                    r"\b[A-Za-z]\w*(?:\.\w+(?:\(\))?)*",
                    lambda m: self.write(m[0], path),
                    text if '"' not in text else "null",
                )
                if not text.startswith('"')
                else text
            )
            return compute(text)
        except (LookupError, ValueError, SyntaxError):
            return None

    def write(self, name: str, path: str) -> str:
        """A constant as Python writes it. Raises LookupError for one that is not in the source."""
        if name in ("true", "false", "null") or not re.search(r"[A-Za-z]", name):
            return {"true": "True", "false": "False"}.get(name, "None")
        owner, _, member = name.removesuffix("()").rpartition(".")
        if "." in owner:
            owner, _, member = owner.rpartition(".")
        where = path if not owner else self.find(owner)
        if where is None:
            raise LookupError(name)
        return repr(self.look_up(member, where))

    def look_up(self, member: str, path: str) -> Default:
        """The value of a constant of a class. Raises LookupError."""
        text = self.source.read(path)
        is_tuned = path.endswith("/NettySystemConfig.java")
        tuned = self.source.read(STARTUP) if is_tuned else ""
        forced = re.search(rf"NettySystemConfig\.{member}\s*=\s*(\d+);", tuned)
        if forced:
            return int(forced[1])
        named = re.search(rf"\b{member}\(\"(\w+)\"", text)
        if named:
            return named[1]
        constant = re.search(rf"\b{member}\s*=\s*((?:\"[^\"]*\"|[^;\"])*);", text)
        if constant is None:
            raise LookupError(member)
        value = self.evaluate(constant[1], path)
        if value is None:
            raise LookupError(member)
        return value


def compute(text: str) -> Default:
    """The value of arithmetic on literals. Raises ValueError, SyntaxError."""
    plain = text if text.startswith('"') else _NUMBER.sub(lambda m: m[1], text)
    node = ast.parse(plain.replace("/", "//") if "." not in plain else plain, mode="eval")
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    if not all(isinstance(each, allowed) for each in ast.walk(node)):
        raise ValueError(text)
    return eval(compile(node, "default", "eval"), {"__builtins__": {}})


def read_release(clone: Path, release: str) -> tuple[dict[str, str], dict[str, dict[str, Row]]]:
    """The blobs of its classes, and the keys of each."""
    source = Source(clone, REFERENCES.get(release, f"rocketmq-all-{release}"))
    reader = Reader(source, source.list_files())
    paths = [path for path in CLASSES if path in reader.files]
    blobs = {Path(path).stem: reader.files[path] for path in paths}
    return blobs, {Path(path).stem: dict(reader.list_keys(path)) for path in paths}


def build(clone: Path) -> dict[str, object]:
    """Every release: what it adds to the one before it, or changes, and what is gone."""
    made: dict[str, object] = {}
    blobs_before: dict[str, str] = {}
    before: dict[str, tuple[str, Row]] = {}
    for release in ALL_RELEASES:
        if release in FROM_THREADS:
            added = {"": FROM_THREADS[release]} if FROM_THREADS[release] else {}
            made[release] = {"source": "", "files": {}, "keys": added, "gone": []}
            continue
        blobs, found = read_release(clone, release)
        now = {key: (name, row) for name, keys in found.items() for key, row in keys.items()}
        added = {
            name: {key: row for key, row in keys.items() if before.get(key) != (name, row)}
            for name, keys in found.items()
        }
        made[release] = {
            "source": REFERENCES.get(release, f"rocketmq-all-{release}"),
            "files": {n: blob for n, blob in blobs.items() if blobs_before.get(n) != blob},
            "keys": {name: keys for name, keys in added.items() if keys},
            "gone": sorted(set(before) - set(now)),
        }
        blobs_before, before = blobs, now
    return made


def render(made: Mapping[str, object], depth: int = 1) -> str:
    """JSON with a line for each key."""
    blanks = " " * depth
    rows = (
        f"{blanks}{json.dumps(name)}: "
        + (render(each, depth + 1) if isinstance(each, dict) and each else json.dumps(each))
        for name, each in made.items()
    )
    return "{\n" + ",\n".join(rows) + f"\n{blanks[1:]}}}"


def main() -> None:
    """Write the table."""
    (clone,) = sys.argv[1:]
    FILE.write_text(render(build(Path(clone))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
