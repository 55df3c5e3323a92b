"""The generated parts of ``spec/roles.md``: deployments, keys, and files that ``check`` rejects.

``rmqspec docs --write spec/roles.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from book.implementers.configuration_uses import (
    CHECKED_KEYS,
    IDENTITY,
    OWN_BROKER,
    READING,
    STOCK_KEYS,
    TIMES,
    VERDICTS,
    KeyUse,
)
from book.links import read_title
from brokers.configuration_files import read_deployments
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.analysis.log import compute_parameters
from properties.worlds.replication.structures import STOCK_FOLDERS
from reference.configuration.broker_group import ConfigurationError
from reference.configuration.controller_keys import (
    CONTROLLER_KEYS,
    OF_OTHERS,
    ControllerKey,
)
from reference.configuration.keys import KEYS, OUTSIDE_THE_MODEL, Value
from reference.configuration.later_keys import LATER_KEYS, LEFT_OUT, NAMES_IN_440, LaterKey
from reference.configuration.release_keys import say_known

MASTER = "brokerName=broker-a\nbrokerRole=SYNC_MASTER\n"
SLAVE = "brokerName=broker-a\nbrokerRole=SLAVE\nbrokerId=1\n"


@frozen
class FilesExample:
    """Files in one folder that ``check`` refuses, or about which it says something."""

    files: Mapping[str, str]
    """Text by name."""
    why: str
    """What real brokers would do with them."""


REFUSED = (
    FilesExample(
        {"a.conf": "brokerName=broker-a\nbrokerRole=SLAVE\n"},
        "a slave needs an id above 0 to start (R-BR-01)",
    ),
    FilesExample(
        {"a.conf": MASTER, "b.conf": MASTER},
        "both register under id 0, and the name server keeps the last one (R-NS-02)",
    ),
    FilesExample(
        {"a.conf": MASTER, "b.conf": SLAVE, "c.conf": SLAVE},
        "the name server keeps the last one (R-NS-02)",
    ),
    FilesExample({"a.conf": SLAVE}, "no file says what it copies"),
    FilesExample(
        {"a.conf": "brokerRole=SYNC_MASTER\n", "b.conf": SLAVE},
        "BrokerConfig#localHostName: on two hosts the two would have two names",
    ),
    FilesExample(
        {"a.conf": "brokerName=broker-a\nbrokerRole=SYNC_MASTR\n"},
        "MixAll#properties2Object ignores values that a setter rejects",
    ),
    FilesExample(
        {"a.conf": MASTER + "haTransferBatchSize=0\n"},
        "no byte would ever be sent (inferred)",
    ),
)
"""Cases that `check` rejects with an error, and exit code 3."""

WARNED = (
    FilesExample({"a.conf": MASTER + "brokerId=3\n"}, "R-BR-01"),
    FilesExample({"a.conf": MASTER + "haListenPort=10999\n"}, "R-HA-02"),
    FilesExample(
        {"a.conf": MASTER + "slaveReadEnable=yes\n"},
        "Boolean#parseBoolean takes every other text for false",
    ),
    FilesExample(
        {"a.conf": MASTER + "diskMaxUsedSpaceRatio=75%\n"},
        "MixAll#properties2Object ignores values that a setter rejects",
    ),
    FilesExample(
        {"a.conf": MASTER + "diskMaxUsedSpaceRatio=99\n"},
        "MessageStoreConfig#getDiskMaxUsedSpaceRatio",
    ),
    FilesExample(
        {"a.conf": MASTER + "slaveReadEnabled=true\n"},
        "MixAll#properties2Object knows setters only",
    ),
    FilesExample(
        {"a.conf": MASTER + "flushDiskType=SYNC_FLUSH\nflushDiskType=ASYNC_FLUSH\n"},
        "java.util.Properties",
    ),
)
"""Cases in which `check` warns, and then answers for the brokers as they would run."""


def read_messages(case: FilesExample) -> list[str]:
    """The messages about a case's files: the error, or else the warnings."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in case.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        try:
            deployments, warnings = read_deployments([folder])
            for group in deployments[0].groups:
                compute_parameters(group)
            said = [str(warning) for warning in warnings]
        except ConfigurationError as refusal:
            said = [str(refusal)]
    return [text.replace(f"{folder.resolve()}/", "").replace(f"{folder}/", "") for text in said]


def render_cases(cases: Iterable[FilesExample]) -> str:
    """A row for each case: its files, the messages about them, what real brokers do."""
    rows = [[show_files(c.files), "<br>".join(read_messages(c)), c.why] for c in cases]
    return render_table(["Files", "What `check` says", "Why"], rows)


def show_files(files: Mapping[str, str]) -> str:
    """Each file with its settings, on a line of its own."""
    return "<br>".join(
        f"{name}: {', '.join(f'`{line}`' for line in text.splitlines())}"
        for name, text in files.items()
    )


def render_keys(uses: Iterable[KeyUse]) -> str:
    """A row for each key: default, unit, meaning, and chapter."""
    rows = [
        [f"`{u.name}`", show_default(KEYS[u.name].default), u.unit, u.meaning, link(u.told)]
        for u in uses
    ]
    return render_table(["Key", "Default", "Unit", "What it means here", "Chapter"], rows)


def show_default(value: Value) -> str:
    """A default as it would be written into a file; a dash if the host decides."""
    if value is None:
        return "-"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def link(told: str) -> str:
    """A link to a chapter or heading, by the chapter's title."""
    return f"[{read_title(SPEC / told.partition('#')[0])}]({told})"


def render_deployments() -> str:
    """The groups of RocketMQ's stock folders, as this book names them."""
    rows = [
        [f"`{folder}`", s.role.name, s.flush_disk_type.name, s.slaves, s.name]
        for folder, s in STOCK_FOLDERS.items()
    ]
    return render_table(["Folder", "Role", "Flush type", "Slaves", "In this book"], rows)


def render_stock_keys() -> str:
    """The treatment of each key of the stock files."""
    return render_table(["Key", "Here"], ([f"`{k}`", text] for k, text in STOCK_KEYS.items()))


def render_counts() -> str:
    """How many keys there are, and how many of them are read."""
    read = {use.name for use in (*IDENTITY, *VERDICTS, *READING, *TIMES)}
    return (
        f"A broker of 4.4.0 reads {len(KEYS)} keys. The model covers {len(read)} of them, and an "
        f"answer of `check` may depend on {len(CHECKED_KEYS)}."
    )


def render_outside() -> str:
    """Keys of 4.4.0 whose effect the model does not have."""
    rows = [[f"`{key}`", reason] for key, reason in OUTSIDE_THE_MODEL.items()]
    return render_table(["Key", "Why no verdict is given"], rows)


def render_later() -> str:
    """Keys of later releases of which the model has some values, and the renamed ones."""
    rows = [[f"`{key.name}`", key.known, *tell_values(key)] for key in LATER_KEYS.values()]
    told = [row for row in rows if row[2]]
    told += [
        [f"`{new}`", LATER_KEYS[new].known, "all", f"called `{old}` in 4.4.0"]
        for new, old in NAMES_IN_440.items()
        if new != "haMaxGapNotInSync"
    ]
    return render_table(["Key", "Known", "Values that the model has", "Another value"], told)


def render_left_out() -> str:
    """Keys with another value than the default of which an answer leaves something out."""
    rows = [[f"`{key}`", say_known(key), told] for key, told in LEFT_OUT.items()]
    return render_table(["Key", "Known", "What is left out"], rows)


def tell_values(key: LaterKey) -> tuple[str, str]:
    """The modelled values, and what another one does; nothing where none makes a difference."""
    return " and ".join(f"`{value}`" for value in key.modelled), key.effect


def render_controller_keys() -> str:
    """Each key that is about the controller, and what it decides."""
    rows = (
        [f"`{name}`", say_default(each), each.decides, each.source]
        for name, each in CONTROLLER_KEYS.items()
    )
    return render_table(["Key", "Default", "What it decides in the model", "Read by"], rows)


def say_default(each: ControllerKey) -> str:
    """The default as a file has it; nothing for an empty text."""
    default = each.key.default
    text = str(default).lower() if isinstance(default, bool) else str(default)
    return f"`{text}`" if text else ""


def render_not_of_brokers() -> str:
    """Keys that no broker reads, and what they are."""
    return render_table(["Key", "What it is"], ([f"`{k}`", t] for k, t in OF_OTHERS.items()))


PAGE = Page(
    SPEC / "roles.md",
    {
        "deployments": render_deployments,
        "counts": render_counts,
        "identity": lambda: render_keys(IDENTITY),
        "verdicts": lambda: render_keys(VERDICTS),
        "reading": lambda: render_keys(READING),
        "times": lambda: render_keys(TIMES),
        "own broker": lambda: render_keys(OWN_BROKER),
        "stock keys": render_stock_keys,
        "refused": lambda: render_cases(REFUSED),
        "warned": lambda: render_cases(WARNED),
        "outside": render_outside,
        "later": render_later,
        "left out": render_left_out,
        "controller keys": render_controller_keys,
        "not of brokers": render_not_of_brokers,
    },
)
"""The chapter."""
