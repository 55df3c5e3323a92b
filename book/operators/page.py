"""The generated parts of ``spec/operators.md``: choices, answers, procedures that were tried.

``rmqspec docs --write spec/operators.md`` writes them anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from book.links import link_claim, write_citation
from book.operators import (
    choices,
    consumed,
    settings,
    standing_still,
    trials,
    with_controller,
)
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.procedures.answers import ANSWERS, QUESTIONS, decide_all
from properties.scenarios.procedures.facts import list_copied
from properties.scenarios.procedures.procedures import GUIDE
from properties.verdicts.certified_cells import describe
from properties.verdicts.findings.disputes import find_claim_disputes, say_disputed
from properties.worlds.replication.structures import STOCK_PAIR
from reference.decisions.clients.sending import (
    STATUS_BY_CODE,
    Attempt,
    SendAnswer,
    SendSettings,
    react,
    send,
)

PRICE = ("A put waits for", "Statuses besides `PUT_OK`")
SERVICE_NOT_AVAILABLE = 14
"""The response code of a store that refuses a put."""

READER_HEAD = ("Reading", "`offsetCheckInSlave`", "Begins")

ADVICE: Mapping[str, str] = {
    "PUT_OK": "nothing",
    "FLUSH_DISK_TIMEOUT": "nothing; with a healthy disk the first message of a file may get it",
    "FLUSH_SLAVE_TIMEOUT": "do not send again; check the slave's lag",
    "SLAVE_NOT_AVAILABLE": "do not send again; find out why no slave is available",
    "PUT_OK, sent with WAIT=false": "nothing; it promises nothing about disk and slave",
    "refused": "send again, to another broker, unless the message is illegal or too large",
    "no answer, though it arrived": "send again only if consumers tolerate duplicates",
}
"""What to do about each answer; whether it is stored decides."""


def render_choices() -> str:
    """One row for each kind of group."""
    return render_table(("Your group", *choices.COLUMNS), choices.list_rows())


def render_prices() -> str:
    """What a put waits for in each kind of group, and which other statuses it may get."""
    return render_table(("Your group", *PRICE), choices.list_prices())


def render_readers() -> str:
    """One row for each way to read."""
    head = (*READER_HEAD, *choices.READER_COLUMNS)
    return render_table(head, choices.list_reader_rows())


def render_consumed() -> str:
    """A row for each situation and what groups in it have in common."""
    say = choices.collect_reasons().say
    rows = (
        ("; ".join(row.situations) if row.is_first else "", row.groups, *map(say, row.answers))
        for row in consumed.list_rows()
    )
    return render_table(("What happens", "Your group", *consumed.QUESTIONS), rows)


def render_reasons() -> str:
    """The meaning of each letter."""
    reasons = choices.collect_reasons()
    rows = [
        (
            reasons.get_letter(reason),
            reason.sentence,
            count(f"`{name}`" for name in reason.faults),
            "; ".join(map(write_citation, reason.seen)),
            f"[steps](counterexamples/{reason.claim}.md), `{reason.command}`",
        )
        for reason in reasons.listed
    ]
    return render_table(("", "What happens", "It takes", "Seen in", "See it"), rows)


def count(names: Iterable[str]) -> str:
    """Names, each once, with how often where that is more than once."""
    counted = Counter(names).items()
    taken = ", ".join(name if times == 1 else f"{times} {name}" for name, times in counted)
    return taken or "no failure"


def render_answers() -> str:
    """What each answer says of the message."""
    decisions = decide_all()
    rows = [
        (
            say_answer(answer),
            *(decisions[answer, question].word for question in QUESTIONS),
            say_reaction(answer),
            ADVICE[answer],
        )
        for answer in ANSWERS
    ]
    head = ("Status", "Stored", "On the master's disk", "On a slave", "The client", "You")
    return render_table(head, rows)


def say_answer(answer: str) -> str:
    """A status as code; what is none as it is."""
    status, comma, rest = answer.partition(",")
    return f"`{status}`{comma}{rest}" if status.isupper() else answer


def say_reaction(answer: str) -> str:
    """What a producer's client does with it by itself."""
    codes: dict[str, int | None] = {status.value: c for c, status in STATUS_BY_CODE.items()}
    codes |= {"PUT_OK": 0, "refused": SERVICE_NOT_AVAILABLE, "no answer": None}
    code = codes[answer.partition(",")[0]]
    reaction = react(Attempt(SendAnswer(code), SendSettings())).value
    if code is None and not is_tried_again_after_a_timeout():
        return f"after a lost connection {reaction.value}, after a time-out throws"
    return reaction.value


def is_tried_again_after_a_timeout() -> bool:
    """A second attempt follows where the first one has used up the whole time (R-PR-03)."""
    settings = SendSettings()
    late = SendAnswer(None, settings.timeout_ms + 1)
    queues = (("broker-a", 0), ("broker-b", 0))
    return len(send(queues, {"broker-a": late, "broker-b": late}, settings).tried) > 1


def render_settings() -> str:
    """What to set."""
    return render_table(("Setting", "Default", "Choose", "Why", "Verdicts"), settings.list_rows())


def render_copied() -> str:
    """What a wiped slave breaks, and what if its master's store is copied."""
    head = ("Guarantee", "Wiped slave starts empty", "Wiped slave starts with a copy")
    rows = (
        (link_claim(cell.guarantee), describe(cell), say_copied(cell.guarantee, is_kept=is_kept))
        for cell, is_kept in list_copied()
    )
    return render_table(head, rows)


def say_copied(claim: str, *, is_kept: bool) -> str:
    """The verdict of a claim about the stock pair once the master's store is copied."""
    if not is_kept:
        return "not proved"
    return say_disputed(find_claim_disputes(STOCK_PAIR, claim)) or "proved"


PAGE = Page(
    SPEC / GUIDE,
    {
        "choices": render_choices,
        "prices": render_prices,
        "readers": render_readers,
        "consumed": render_consumed,
        "reasons": render_reasons,
        "answers": render_answers,
        "controller choices": with_controller.render_choices,
        "controller signs": with_controller.render_signs,
        "standing still": standing_still.render_causes,
        "settings": render_settings,
        "trials": partial(trials.render_trials, GUIDE),
        "copied": render_copied,
    },
)
"""The chapter."""
