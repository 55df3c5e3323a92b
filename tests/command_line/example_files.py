"""The files that examples of ``--help`` name, as a user would have them in the folder."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from brokers.explaining.links_alone.links import LINK_KINDS, UNSEEN
from brokers.recordings.judging import check_recording
from brokers.recordings.reading import read_recording
from command_line.answers.recordings.schedules import ScheduleFolder
from properties.exports.itf import list_issue_traces, write_traces
from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import create_campaign, plan_campaign
from tests.brokers.disk.real_stores import unpack
from tests.command_line.run import CONF, ROOT

RECORDINGS = ROOT / "tests" / "data" / "traces"
LATER_RECORDINGS = ROOT / "tests" / "data" / "traces_498"
GROUPS = {"subscriptionGroupTable": {"my_group": {"groupName": "my_group", "brokerId": 1}}}
ROWS = ({"offset": 7, "maxOffset": 9}, {"role": "SLAVE", "offset": 2, "maxOffset": 1})
SCHEDULES = 200
"""Of the campaign that examples replay and resume."""
QUIET_PAIR = ROOT / "tests" / "data" / "stores" / "group_skip_old.tar.xz"
EQUAL_PAIR = "torn_roll_control"
ISSUE = "slave_ahead_acknowledges"


def lay_out(folder: Path) -> None:
    """Every file that an example reads, below this folder."""
    for name in ("broker-a.properties", "broker-a-s.properties"):
        for target in (folder, folder / "conf", folder / "conf" / "2m-2s-sync"):
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(CONF / "2m-2s-sync" / name, target)
    (folder / "subscriptionGroup.json").write_text(json.dumps(GROUPS))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    shutil.copy(CONF / "2m-2s-sync" / "broker-a.properties", folder / "broker.conf")
    lay_out_recordings(folder)
    lay_out_logs(folder)
    lay_out_stores(folder)
    lay_out_traces(folder)


@cache
def read_logs() -> dict[str, dict[str, bytes]]:
    """The log files of a master and its slave without any sign of trouble, by broker."""
    found: dict[str, dict[str, bytes]] = {"master": {}, "slave1": {}}
    with tarfile.open(QUIET_PAIR) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            if "/logs/" in member.name and file is not None:
                parts = Path(member.name).parts
                found[parts[1]][parts[-1]] = file.read()
    return found


def lay_out_logs(folder: Path) -> None:
    """Logs of two brokers, each in a folder of its own, and both below one folder."""
    for node, files in read_logs().items():
        name = "master" if node == "master" else "slave"
        for place in (folder, folder / "collected"):
            logs = place / name / "logs" / "rocketmqlogs"
            logs.mkdir(parents=True)
            for file, data in files.items():
                (logs / file).write_bytes(data)


def lay_out_stores(folder: Path) -> None:
    """Stores of a master and of slaves that equal it, and what its producers were answered."""
    pair = unpack(EQUAL_PAIR, folder / "unpacked")
    for node, name in (("master", "master"), ("slave1", "slave"), ("slave1", "slave2")):
        shutil.copytree(pair / node / "store", folder / name / "store")
    shutil.rmtree(folder / "unpacked")
    (folder / "ids.txt").write_text("7F000001000000020000000000000000\n13000\n")


def lay_out_recordings(folder: Path) -> None:
    """One in its place, two of a later release, and one with an event that cannot be."""
    (folder / "tests" / "data" / "traces").mkdir(parents=True)
    shutil.copy(RECORDINGS / "a_sync_healthy.jsonl", folder / "tests" / "data" / "traces")
    (folder / "recordings").mkdir()
    for name in ("v498_b_sync_no_slave", "v498_d2_fallbehind_exact"):
        shutil.copy(LATER_RECORDINGS / f"{name}.jsonl", folder / "recordings")
    for name in ("h_slave_ahead_aligned", "u_rollover_while_slave_joins"):
        shutil.copy(RECORDINGS / f"{name}.jsonl", folder / "tests" / "data" / "traces")
    lay_out_explained(folder / "explained")
    lay_out_parts(folder)
    text = (RECORDINGS / "b_sync_no_slave.jsonl").read_text(encoding="utf-8")
    (folder / "suspicious.jsonl").write_text("".join(falsify(text)), encoding="utf-8")
    text = (RECORDINGS / "a_sync_healthy.jsonl").read_text(encoding="utf-8")
    (folder / "links.jsonl").write_text("".join(keep_links(text)), encoding="utf-8")


def keep_links(text: str) -> Iterator[str]:
    """A recording as ``record`` writes it in front of brokers that tell nothing themselves."""
    config, *events = map(json.loads, text.splitlines())
    yield json.dumps(config | dict.fromkeys(UNSEEN, True)) + "\n"
    for event in events:
        if event["ev"] in LINK_KINDS:
            yield json.dumps(event) + "\n"


def lay_out_parts(folder: Path) -> None:
    """One recording in three files, each of which begins with the first line and its number."""
    text = (RECORDINGS / "b_sync_no_slave.jsonl").read_text(encoding="utf-8")
    config, *events = map(json.loads, text.splitlines())
    for part, name in enumerate(("long.jsonl", "long.1.jsonl", "long.2.jsonl")):
        own = [{**event, "seq": 2 * event["seq"]} for event in events[7 * part : 7 * (part + 1)]]
        first = {**config, "seq": own[0]["seq"] - 1, "t_ms": own[0]["t_ms"], "part": part}
        lines = (json.dumps(each) + "\n" for each in (first, *own))
        (folder / name).write_text("".join(lines), encoding="utf-8")


def falsify(text: str) -> Iterator[str]:
    """A recording whose master says at the end that it has flushed more than it holds."""
    for line in text.splitlines(keepends=True):
        event = json.loads(line)
        changes = {"flushed_offset": 9999} if event["ev"] == "snapshot" else {}
        yield json.dumps(event | changes) + "\n"


def lay_out_explained(folder: Path) -> None:
    """What ``trace --out`` writes of a recording."""
    folder.mkdir()
    recording = read_recording(RECORDINGS / "u_rollover_while_slave_joins.jsonl")
    verdict = check_recording(recording, is_schedule_kept=True)
    assert list(ScheduleFolder(folder).write(verdict))


def lay_out_traces(folder: Path) -> None:
    """A known issue as a trace, in two places, and a campaign that is not finished."""
    issue = [each for each in list_issue_traces() if each.file.name.startswith(ISSUE)]
    for name in ("traces", "issues"):
        assert list(write_traces(issue, folder / name))
    campaign = folder / "campaigns" / "seven"
    campaign.parent.mkdir()
    options = CampaignOptions(STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"], campaign_seed=7)
    create_campaign(campaign, plan_campaign(options, SCHEDULES))
    classes = campaign / "classes"
    classes.mkdir()
    target = classes / "01-acknowledgement_is_truthful.itf.json"
    shutil.copy(folder / "traces" / issue[0].file, target)
