"""The book: every chapter of ``spec/`` in reading order, and its table of contents.

A test holds this list and the files of the folder together.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from book.links import read_title
from properties.generated_text import SPEC
from properties.scenarios.counterexamples.cases import load_cases

FRONT = SPEC / "README.md"


@frozen
class Chapter:
    """A text of the book."""

    file: str
    """Below ``spec/``."""
    about: str
    """What it is about, for the table of contents."""
    pages: tuple[str, ...] = ()
    """Files below it, which stand in its own table and not in the book's."""

    @property
    def path(self) -> Path:
        """Where the text is."""
        return SPEC / self.file

    @property
    def title(self) -> str:
        """Its first heading."""
        return read_title(self.path)


@frozen
class Part:
    """Chapters that one reads for the same purpose."""

    title: str
    chapters: tuple[Chapter, ...]


BOOK = (
    Part(
        "What this answers",
        (
            Chapter("README.md", "the answers for the stock configurations; how to read the book"),
            Chapter("operators.md", "what to choose, what answers mean, what to do after a fault"),
        ),
    ),
    Part(
        "The protocol",
        (
            Chapter("one_offset.md", "a message from put to acknowledgement, step by step"),
            Chapter("roles.md", "what decides what a broker is; every key that is read"),
            Chapter("commit_log.md", "files, appends, rollover, retention"),
            Chapter("flush.md", "page cache to disk, one file at a time"),
            Chapter("dispatch.md", "from the log to what consumers see"),
            Chapter("put.md", "refusals, the disk step, the slave step, five wake-ups"),
            Chapter("producer.md", "its own time-out, sending again"),
            Chapter("connection.md", "opened, counted, closed"),
            Chapter("replication.md", "reports, positions, frames, step by step"),
            Chapter("wire_format.md", "the HA protocol, byte by byte"),
            Chapter("lifecycle.md", "clean stops, recovery, torn rolls, the change of role"),
            Chapter("faults.md", "kills, power and disk losses, wipes, disk errors, strangers"),
            Chapter("reading.md", "what a pull is answered, and where the next one goes"),
            Chapter("progress.md", "where progress is kept, and what is read again"),
            Chapter("clients.md", "what producers and consumers do besides"),
            Chapter("consumption.md", "a consumer's progress: what is read twice or never"),
            Chapter("metadata.md", "tables that a slave copies, and the name server"),
            Chapter("tables.md", "topics and groups, also when brokers change their roles"),
            Chapter("delay.md", "delayed messages, and two surprises of a promotion"),
            Chapter("system.md", "all at once, from put to consumed, and after a promotion"),
        ),
    ),
    Part(
        "What holds, and what does not",
        (
            Chapter("guarantees.md", "each with its verdicts, by deployment and fault"),
            Chapter("disputed.md", "proved cells that real brokers contradict, with the evidence"),
            Chapter(
                "counterexamples/README.md",
                "one page for each guarantee that falls",
                tuple(f"counterexamples/{case.claim}.md" for case in load_cases()),
            ),
            Chapter("explorer.md", "the rules as a page, to click through schedules"),
            Chapter("fault_sets.md", "which mixtures of faults a guarantee survives"),
            Chapter("predictions.md", "why cells are refuted; what nobody has reported yet"),
            Chapter("known_issues.md", "threads of RocketMQ's trackers as schedules"),
        ),
    ),
    Part(
        "Variants and versions",
        (
            Chapter("variants.md", "what repairs would buy"),
            Chapter("versions.md", "what releases from 4.4.0 to 5.3.3 change"),
        ),
    ),
    Part(
        "For whoever builds",
        (
            Chapter("implementers.md", "in which order, fifteen traps, a check of your own logs"),
            Chapter("trace_format.md", "how a recording is written so that it can be judged"),
            Chapter("vectors.md", "schedules with the expected state after each step"),
        ),
    ),
    Part(
        "The model, for the curious",
        (
            Chapter("tutorial.md", "a world of two leaves and three rules, through every engine"),
            Chapter("python_api.md", "what a program imports"),
            Chapter("design.md", "rooms, one definition and its readings, certificates, trust"),
            Chapter("ideas.md", "what is new in this model, in ten short sections"),
            Chapter("state.md", "what a state contains, what is abstracted, and why that is sound"),
            Chapter("proofs.md", "the theorem exactly, and what rests on what"),
            Chapter("lemmas.md", "each with the counterexample that demanded it"),
            Chapter("recordings.md", "which recordings of real brokers the model explains"),
            Chapter("mutants.md", "every small mistake in every rule, and what finds it"),
            Chapter("code_ledger.md", "every branch of the code, and which of them nobody has run"),
            Chapter("restrictions.md", "what proofs rest on, and what to ask real brokers next"),
            Chapter("judges.md", "five engines asked about the same cells"),
            Chapter("spin.md", "SPIN finds as many states"),
            Chapter("tla.md", "the rules as a TLA+ module, and what TLC says of it"),
            Chapter("campaigns.md", "millions of random schedules on Spark"),
        ),
    ),
    Part(
        "To look things up",
        (
            Chapter("limits.md", "what the model leaves out; read it before you rely on a proof"),
            Chapter(
                "glossary.md", "terms of RocketMQ, with the Chinese ones, and of the formal side"
            ),
        ),
    ),
    Part(
        "中文",
        (
            Chapter("zh/README.md", "缺省配置能丢什么、怎样读这本书"),
            Chapter("zh/operators.md", "怎样配置、回应的含义、故障之后怎么办"),
        ),
    ),
)
"""The whole book."""


def list_chapters() -> Iterator[Chapter]:
    """Every chapter in reading order; those below another one follow it."""
    for part in BOOK:
        for chapter in part.chapters:
            yield chapter
            yield from (Chapter(file, "") for file in chapter.pages)


def render_contents() -> str:
    """The table of contents: parts, their chapters, and what those are about."""
    lines: list[str] = []
    for number, part in enumerate(BOOK, start=1):
        listed = [chapter for chapter in part.chapters if chapter.path != FRONT]
        lines.append(f"{number}. **{part.title}**")
        lines += [f"    - [{c.title}]({c.file}): {c.about}" for c in listed]
    return "\n".join(lines)
