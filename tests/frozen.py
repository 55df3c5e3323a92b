"""What users and judges are told, frozen while the house is rebuilt: one digest for each answer.

    python -m tests.frozen --write     # keep the answers of this tree
    python -m tests.frozen             # compare; ends with 1 and names what differs

The answers themselves are left in ``.rmqspec/frozen`` for a look at what differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from properties.verdicts.certificates import find_cells
from properties.worlds import KNOWN_STRUCTURES, STRUCTURES
from spark_fuzz.campaign.rows import make_rows
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.kernel import compile_kernel

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests/data/frozen.json"
ANSWERS = ROOT / ".rmqspec/frozen"
CONF = "tests/data/conf"
BESIDE = ("traces_staged", "traces_5x")
"""Folders of recordings beside the checkout, held against where they are there."""
VERSIONS = ("4.4.0", "4.5.2", "4.6.0", "4.8.0", "4.9.3", "4.9.8")

GROUPS = {
    "async_flush_pair": "brokerRole=SYNC_MASTER\nflushDiskType=ASYNC_FLUSH\n",
    "sync_flush_pair": "brokerRole=SYNC_MASTER\nflushDiskType=SYNC_FLUSH\n",
    "async_master_sync_flush": "brokerRole=ASYNC_MASTER\nflushDiskType=SYNC_FLUSH\n",
    "async_master": "brokerRole=ASYNC_MASTER\n",
    "small_files": "brokerRole=SYNC_MASTER\nmapedFileSizeCommitLog=1048576\n",
    "slave_read": "brokerRole=ASYNC_MASTER\nslaveReadEnable=true\n",
    "small_batches": "brokerRole=SYNC_MASTER\nhaTransferBatchSize=4096\n",
    "near_slaves": "brokerRole=SYNC_MASTER\nhaSlaveFallbehindMax=1024\n",
    "check_offsets": "brokerRole=ASYNC_MASTER\nslaveReadEnable=true\noffsetCheckInSlave=true\n",
    "two_slaves": "brokerRole=SYNC_MASTER\nflushDiskType=SYNC_FLUSH\n",
}
"""Ten groups beside those that RocketMQ brings along: what the master's file says."""

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"


def write_groups(folder: Path) -> None:
    """A folder for each group: a master and its slaves."""
    for name, text in GROUPS.items():
        base = "brokerClusterName=c\nbrokerName=a\n"
        group = folder / name
        group.mkdir()
        (group / "a.properties").write_text(f"{base}brokerId=0\n{text}")
        for slave in range(2 if name == "two_slaves" else 1):
            role = f"{base}brokerId={slave + 1}\nbrokerRole=SLAVE\n"
            (group / f"a-s{slave}.properties").write_text(role)
    (folder / "wrong.properties").write_text("brokerRole=MASTER\n")


def list_commands() -> Iterator[list[str]]:
    """What a user may ask, by its arguments."""
    stock = [f"{CONF}/{name}" for name in ("2m-2s-async", "2m-2s-sync", "2m-noslave")]
    for conf in [*stock, *(f"GROUPS/{name}" for name in GROUPS)]:
        yield ["check", conf, "--json"]
    pair = stock[1]
    yield ["check", *stock]
    yield ["check"]
    yield ["check", pair, "--json", "--what-if", "flushDiskType=SYNC_FLUSH"]
    yield ["check", stock[0], "--what-if", "slaveReadEnable=true", "--group", "brokerId=1"]
    for version in ("4.9.8", "5.3.0", "5.0.0-controller", "5.3.0-quorum"):
        yield ["check", pair, "--json", "--rocketmq-version", version]
    yield ["check", pair, "--require", "acknowledged_is_kept_on_some_broker"]
    yield ["check", pair, "--require", "no_such_guarantee"]
    yield ["check", pair, "--rocketmq-version", "9.9"]
    yield ["check", "GROUPS/wrong.properties"]
    yield ["check", "no/such/folder"]
    yield ["upgrade", "4.4.0", "4.9.8"]
    yield ["upgrade", "4.9.8", "5.3.0", pair, "--json"]
    yield ["upgrade", "4.4.0", "5.0.0-controller", pair, "--json"]
    yield ["upgrade", "4.9.8", "5.3.0-quorum", stock[0], "--fail-on-worse"]
    for claim, fault, structure in (
        ("acknowledgement_is_truthful", "late join", PAIR),
        ("flush_reaches_the_end", "every fault", "ASYNC_MASTER/SYNC_FLUSH/0 slaves"),
        ("no_message_is_skipped", "master stop", "consumer/slave read/no offset check"),
        ("acknowledgement_is_truthful", "none", f"{PAIR} at 5.0.0"),
    ):
        yield ["explain", claim, fault, "--structure", structure]
    yield ["issues", "--json"]
    yield ["pull", "--help"]
    yield ["export", "vectors", "--out", "OUT"]
    yield ["export", "itf", "--out", "OUT", "--structure", PAIR]
    yield ["export", "itf", "--out", "OUT", "--issues"]
    yield ["export", "smt-lib", "--out", "OUT", "--structure", "SYNC_MASTER/ASYNC_FLUSH/0 slaves"]
    yield ["export", "smt-lib", "--out", "OUT", "--structure", "delay/4.4.0"]
    for folder in ("traces", "traces_498"):
        for version in ("", *VERSIONS):
            option = ["--rocketmq-version", version] if version else []
            yield ["trace", *list_recordings(ROOT / "tests/data" / folder), "--json", *option]
    for folder in BESIDE:
        for path in list_recordings(ROOT / "../shared" / folder):
            yield ["trace", path, "--json"]


def list_recordings(folder: Path) -> list[str]:
    """The recordings of a folder; none where it is not there."""
    return [os.path.relpath(path, ROOT) for path in sorted(folder.glob("*.jsonl"))]


def ask(arguments: list[str], groups: Path) -> str:
    """Exit code, output, errors, and what lies in a folder that was written."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        given = [str(out) if a == "OUT" else a.replace("GROUPS", str(groups)) for a in arguments]
        command = [sys.executable, "-P", "-m", "command_line", *given]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        written = "".join(
            f"{path.relative_to(out)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
            for path in sorted(out.rglob("*"))
            if path.is_file()
        )
    told = f"{run.returncode}\n{run.stdout}\n{run.stderr}\n{written}"
    return told.replace(str(groups), "GROUPS").replace(str(out), "OUT")


def list_cells() -> Iterator[tuple[str, str]]:
    """Every certified cell of every structure and release."""
    for name, structure in KNOWN_STRUCTURES.items():
        cells = find_cells(structure)
        yield (
            f"cells of {name}",
            "\n".join(
                f"{c.guarantee} | {c.fault} | {c.word.value} | {c.is_vacuous} | {c.disputed} | "
                f"{c.depth} | {' '.join(map(str, c.schedule))}"
                for c in cells.values()
            ),
        )


def list_rows() -> Iterator[tuple[str, str]]:
    """The rows of seed 0 in every world, and what identifies a schedule there."""
    asked = (
        PAIR,
        "ASYNC_MASTER/SYNC_FLUSH/2 slaves",
        *(s for s in STRUCTURES if s[0].islower()),
    )
    for name in asked:
        for is_swarm in (False, True):
            options = CampaignOptions(structure=STRUCTURES[name], is_swarm=is_swarm)
            kernel = compile_kernel(options.structure)
            rows = make_rows(kernel, options, kernel.run(options, 0, 2_000))
            yield f"rows of {name}{', swarm' if is_swarm else ''}", json.dumps(rows.to_pylist())


def collect() -> Iterator[tuple[str, str]]:
    """Every answer under what was asked."""
    with tempfile.TemporaryDirectory() as folder:
        write_groups(Path(folder))
        commands = list(list_commands())
        with ThreadPoolExecutor(2) as pool:
            answers = pool.map(lambda arguments: ask(arguments, Path(folder)), commands)
            for arguments, answer in zip(commands, answers, strict=True):
                yield (
                    " ".join(arguments if arguments[0] != "trace" else _shorten(arguments)),
                    answer,
                )
    yield from list_cells()
    yield from list_rows()


def _shorten(arguments: list[str]) -> list[str]:
    """What was asked, a folder of recordings by its name."""
    if arguments[0] != "trace" or len(arguments) == len(["trace", "file", "--json"]):
        return arguments
    return ["trace", Path(arguments[1]).parent.name, *arguments[arguments.index("--json") :]]


def main() -> int:
    """Write the digests, or compare with those that are kept."""
    ANSWERS.mkdir(parents=True, exist_ok=True)
    digests = {}
    for number, (name, answer) in enumerate(collect()):
        digests[name] = hashlib.sha256(answer.encode()).hexdigest()[:16]
        safe = "".join(c if c.isalnum() else "_" for c in name)[:120]
        (ANSWERS / f"{number:03} {safe}.txt").write_text(f"{name}\n{answer}")
        print(digests[name], name, flush=True)
    if "--write" in sys.argv:
        KEPT.write_text(json.dumps(digests, indent=1) + "\n")
        return 0
    kept = json.loads(KEPT.read_text())
    differing = sorted(n for n in digests.keys() | kept if digests.get(n) != kept.get(n))
    is_here = any("traces_5x" in name for name in digests)
    differing = [n for n in differing if is_here or ("traces_5x" not in n and "staged" not in n)]
    print(f"{len(digests)} answers, {len(differing)} differ", *differing, sep="\n  ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
