"""The part of the page for operators about groups whose master a controller elects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve, frozen

from properties.generated_text import render_table
from properties.scenarios.procedures.procedures import GUIDE, link_recipe, load_procedures
from properties.scenarios.procedures.signs import Sign, load_signs
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.world import ClaimedGroup
from reference.roles import FlushDiskType
from reference.worlds.replication.changes.controller_mode.settings.ack_by_master_alone import (
    ACK_BY_MASTER_ALONE,
)
from reference.worlds.replication.changes.controller_mode.settings.two_in_sync import TWO_IN_SYNC

RULES = "5.0.0-controller"
"""The rules of every release with a controller."""

CLAIM = "acknowledged_is_kept_on_some_broker"
"""What each setting is asked about."""

COLUMNS: Mapping[str, str] = {
    "none": "Nothing fails",
    "link cut": "A link is cut",
    "master kill": "Master killed",
    "slave power loss": "A slave loses power",
    "master power loss": "Master loses power",
    "master disk loss": "Master's disk lost",
}
"""The fault models that are shown, with the heads of their columns."""

WORDS = {VerdictWord.PROVED: "yes", VerdictWord.REFUTED: "no"}
"""Any other verdict is open."""


@frozen
class ControllerSettings:
    """Settings of every broker of a group."""

    text: str
    flush: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    settings: tuple[str, ...] = ()
    """The variants of controller mode that they are."""

    @property
    def structure(self) -> ClaimedGroup:
        """The pair with these settings."""
        return evolve(ClaimedGroup(), flush_disk_type=self.flush, variants=(*self.settings, RULES))


CHOICES = (
    ControllerSettings(
        "`allAckInSyncStateSet=false`, the default", settings=(ACK_BY_MASTER_ALONE,)
    ),
    ControllerSettings(
        "the same with `flushDiskType=SYNC_FLUSH`",
        FlushDiskType.SYNC_FLUSH,
        (ACK_BY_MASTER_ALONE,),
    ),
    ControllerSettings("`allAckInSyncStateSet=true`"),
    ControllerSettings("the same with `minInSyncReplicas=2`", settings=(TWO_IN_SYNC,)),
    ControllerSettings(
        "the same with `flushDiskType=SYNC_FLUSH`", FlushDiskType.SYNC_FLUSH, (TWO_IN_SYNC,)
    ),
)
"""The rows, each but the first and the third one more setting than the one before."""


def render_choices() -> str:
    """Whether a message that was answered PUT_OK stays on some broker."""
    return render_table(("Every broker has", *COLUMNS.values()), list_choices())


def list_choices() -> Iterator[tuple[str, ...]]:
    """A row for each choice."""
    for choice in CHOICES:
        cells = load_cells(choice.structure)
        words = (WORDS.get(cells[CLAIM, column].word, "open") for column in COLUMNS)
        yield (choice.text, *words)


def render_signs() -> str:
    """A row for each sign."""
    head = ("What has happened", "Line of a log", "Also", "It means", "Do")
    return render_table(head, map(say_sign, load_signs()))


def say_sign(sign: Sign) -> tuple[str, ...]:
    """What it is, where it is seen, what it means, and what to do."""
    command, _, shown = sign.command.partition(": ")
    seen = f", `{sign.seen[0]}` seq {sign.seen[1]} (`log`)" if sign.seen else ""
    do = f"[{sign.advice}]({link_procedure(sign.procedure)})" if sign.procedure else sign.do
    return (
        sign.what,
        f"`{sign.log.strip()}` on the {sign.at} ({sign.source}){seen}",
        f"`mqadmin {command}`: {shown}",
        sign.means,
        do,
    )


def link_procedure(name: str) -> str:
    """The recipe of a procedure as a link of the guide has it."""
    recipe = next(each.recipe for each in load_procedures() if each.name == name)
    return link_recipe(recipe, GUIDE)
