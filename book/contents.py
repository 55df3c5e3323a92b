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
    """Files below it, listed in its own table and not in the book's."""

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
            Chapter("operators.md", "settings, the meaning of answers, recovery after a fault"),
        ),
    ),
    Part(
        "The protocol",
        (
            Chapter("one_offset.md", "a message from put to acknowledgement, step by step"),
            Chapter("roles.md", "the settings that decide a broker's role; every key that is read"),
            Chapter("commit_log.md", "files, appends, rollover, retention"),
            Chapter("flush.md", "page cache to disk, one file at a time"),
            Chapter("dispatch.md", "from the log to the consume queues"),
            Chapter("put.md", "refusals, the disk step, the slave step, five wake-ups"),
            Chapter("producer.md", "its own time-out, sending again"),
            Chapter("connection.md", "opened, counted, closed"),
            Chapter("replication.md", "reports, positions, frames, step by step"),
            Chapter("wire_format.md", "the HA protocol, byte by byte"),
            Chapter("lifecycle.md", "clean stops, recovery, torn rolls, the change of role"),
            Chapter("faults.md", "kills, power and disk losses, wipes, disk errors"),
            Chapter("reading.md", "the answer to a pull, and where the next one goes"),
            Chapter("progress.md", "where progress is kept, and which messages are read again"),
            Chapter("clients.md", "the other behaviour of producers and consumers"),
            Chapter("consumption.md", "a consumer's progress: messages read twice or never"),
            Chapter("metadata.md", "tables that a slave copies, and the name server"),
            Chapter("tables.md", "topics and groups, even when brokers change their roles"),
            Chapter("delay.md", "delayed messages, and two surprises of a promotion"),
            Chapter("system.md", "all at once, from put to consumed, and after a promotion"),
        ),
    ),
    Part(
        "Guarantees and counterexamples",
        (
            Chapter("guarantees.md", "each with its verdicts, by deployment and fault"),
            Chapter("disputed.md", "proved verdicts that real brokers contradict"),
            Chapter(
                "counterexamples/README.md",
                "one page for each broken guarantee",
                tuple(f"counterexamples/{case.claim}.md" for case in load_cases()),
            ),
            Chapter("explorer.md", "the rules as a page, to click through schedules"),
            Chapter("fault_sets.md", "which mixtures of faults a guarantee survives"),
            Chapter("predictions.md", "a class for each refutation, with its evidence"),
            Chapter("known_issues.md", "threads of RocketMQ's trackers as schedules"),
        ),
    ),
    Part(
        "Variants and versions",
        (
            Chapter("variants.md", "each compared with 4.4.0"),
            Chapter("versions.md", "releases up to 5.3.3, and their verdicts"),
        ),
    ),
    Part(
        "For implementers",
        (
            Chapter("implementers.md", "order, fifteen traps, a check of your own logs"),
            Chapter("trace_format.md", "the format of a recording that the checker reads"),
            Chapter("vectors.md", "schedules with the expected state after each step"),
        ),
    ),
    Part(
        "The model, for the curious",
        (
            Chapter("tutorial.md", "a world of two leaves and three rules, through every engine"),
            Chapter("python_api.md", "the imports of a program"),
            Chapter("design.md", "rooms, one definition and its readings, certificates, trust"),
            Chapter("ideas.md", "ten ideas, in short sections"),
            Chapter("state.md", "the fields of a state, what is abstracted, and why that is sound"),
            Chapter("proofs.md", "the exact theorem, and the dependencies of its proofs"),
            Chapter("lemmas.md", "each with the counterexample that demanded it"),
            Chapter("recordings.md", "which recordings of real brokers the model explains"),
            Chapter("mutants.md", "every small mistake in every rule, and the check that finds it"),
            Chapter("code_ledger.md", "every branch of the code, and which of them were never run"),
            Chapter("restrictions.md", "what proofs depend on, and what to test next"),
            Chapter("judges.md", "five engines on the same verdicts"),
            Chapter("spin.md", "an independent count of states and violations"),
            Chapter("tla.md", "for readers of TLA+, with TLC's results"),
            Chapter("campaigns.md", "millions of random schedules on Spark"),
        ),
    ),
    Part(
        "Reference",
        (
            Chapter("limits.md", "what the model leaves out; read it before you rely on a proof"),
            Chapter("glossary.md", "RocketMQ terms, with the Chinese ones, and formal terms"),
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
    """The table of contents: parts, chapters, and a summary of each chapter."""
    lines: list[str] = []
    for number, part in enumerate(BOOK, start=1):
        listed = [chapter for chapter in part.chapters if chapter.path != FRONT]
        lines.append(f"{number}. **{part.title}**")
        lines += [f"    - [{c.title}]({c.file}): {c.about}" for c in listed]
    return "\n".join(lines)
