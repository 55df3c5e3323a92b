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
class BookPart:
    """Chapters with the same purpose."""

    title: str
    chapters: tuple[Chapter, ...]


BOOK = (
    BookPart(
        "Answers for operators",
        (
            Chapter("README.md", "answers for the stock configurations; how to read the book"),
            Chapter(
                "operators.md", "what to choose, what a status means, what to do after a failure"
            ),
            Chapter(
                "after_the_master_is_gone.md", "what to do now, and what each course would lose"
            ),
            Chapter(
                "broker_logs.md", "what brokers have logged, and which signs of trouble it has"
            ),
            Chapter(
                "recording.md", "a proxy that records brokers for trace, and tells what goes wrong"
            ),
            Chapter("stores.md", "is a slave its master's equal, and what would a promotion lose"),
            Chapter("upgrading.md", "what an upgrade to 5.5.1 makes better or worse, what to do"),
        ),
    ),
    BookPart(
        "The protocol",
        (
            Chapter("one_offset.md", "a message from put to acknowledgement, step by step"),
            Chapter("roles.md", "which settings decide a broker's role; every key that is read"),
            Chapter("commit_log.md", "files, appends, rollover, retention"),
            Chapter("flush.md", "page cache to disk, one file at a time"),
            Chapter("dispatch.md", "from the log to what consumers see"),
            Chapter("put.md", "refusals, the disk step, the slave step, five wake-ups"),
            Chapter("producer.md", "its own time-out, and sending again"),
            Chapter("connection.md", "how they are opened, counted and closed"),
            Chapter("replication.md", "reports, positions, frames, step by step"),
            Chapter("wire_format.md", "the HA protocol, byte by byte"),
            Chapter("lifecycle.md", "clean stops, recovery, torn rolls, the change of role"),
            Chapter("faults.md", "kills, power and disk losses, wipes, disk errors, strangers"),
            Chapter("reading.md", "how a broker answers a pull, and where the next pull goes"),
            Chapter("progress.md", "where progress is kept, and what is read again"),
            Chapter("clients.md", "what else producers and consumers do"),
            Chapter("consumption.md", "a consumer's progress: what is read twice or never"),
            Chapter("metadata.md", "tables that a slave copies, and the name server"),
            Chapter("tables.md", "topics and groups, also when brokers change their roles"),
            Chapter("delay.md", "delayed messages, and two surprises of a promotion"),
            Chapter("starts.md", "files over which a broker refuses to start, and what to do"),
            Chapter("system.md", "all at once, from put to consumed, and after a promotion"),
        ),
    ),
    BookPart(
        "What holds, and what does not",
        (
            Chapter("guarantees.md", "each with its verdicts, by deployment and fault"),
            Chapter(
                "disputed.md", "proved verdicts that real brokers contradict, with the evidence"
            ),
            Chapter(
                "counterexamples/README.md",
                "one page for each guarantee that can be broken",
                tuple(f"counterexamples/{case.claim}.md" for case in load_cases()),
            ),
            Chapter("explorer.md", "the rules as a web page: click through schedules"),
            Chapter("fault_sets.md", "which combinations of faults a guarantee survives"),
            Chapter("predictions.md", "why verdicts are refuted; what has not been reported yet"),
            Chapter("known_issues.md", "threads of RocketMQ's trackers as schedules"),
        ),
    ),
    BookPart(
        "Variants and versions",
        (
            Chapter("variants.md", "what each repair would gain"),
            Chapter("versions.md", "what releases from 4.4.0 to 5.5.1 change"),
        ),
    ),
    BookPart(
        "For implementers",
        (
            Chapter(
                "implementers.md", "the order of work, fifteen traps, a check of your own logs"
            ),
            Chapter(
                "own_broker.md", "a master or slave with all decisions of the model, to connect to"
            ),
            Chapter("conformance.md", "any broker held against the rules, from outside"),
            Chapter("trace_format.md", "how to write a recording that can be checked"),
            Chapter(
                "vectors.md", "questions with expected answers, for implementations in any language"
            ),
        ),
    ),
    BookPart(
        "The model itself",
        (
            Chapter("tutorial.md", "a world of two leaves and three rules, through every engine"),
            Chapter("python_api.md", "what a program imports"),
            Chapter("design.md", "rooms, one definition and its readings, certificates, trust"),
            Chapter("ideas.md", "what is new in this model, in ten short sections"),
            Chapter("state.md", "what a state contains, what is abstracted, and why that is sound"),
            Chapter("proofs.md", "the exact theorem, and what depends on what"),
            Chapter("lemmas.md", "each with the counterexample that requires it"),
            Chapter("recordings.md", "which recordings of real brokers the model explains"),
            Chapter("mutants.md", "every small mistake in every rule, and which check finds it"),
            Chapter("code_ledger.md", "every branch of the code, and which of them were never run"),
            Chapter("restrictions.md", "what proofs rest on, and what to ask real brokers next"),
            Chapter("judges.md", "the same verdicts from five engines"),
            Chapter("spin.md", "SPIN finds the same number of states"),
            Chapter("tla.md", "the rules as a TLA+ module, and what TLC finds"),
            Chapter("campaigns.md", "millions of random schedules on Spark"),
        ),
    ),
    BookPart(
        "Reference",
        (
            Chapter("assumptions.md", "what proofs take for granted about settings and timers"),
            Chapter("limits.md", "what the model leaves out; read it before you rely on a proof"),
            Chapter("glossary.md", "terms of RocketMQ, also in Chinese, and of the formal model"),
        ),
    ),
    BookPart(
        "中文",
        (
            Chapter("zh/README.md", "默认配置能丢什么、怎样读这本书"),
            Chapter("zh/operators.md", "怎样配置、返回状态的含义、故障之后怎么办"),
            Chapter("zh/after_the_master_is_gone.md", "现在怎么办、每种做法会丢失什么"),
        ),
    ),
)
"""The whole book."""


def list_chapters() -> Iterator[Chapter]:
    """Every chapter in reading order, each followed by the pages below it."""
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
