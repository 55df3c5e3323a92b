"""The generated tables of ``spec/clients.md``, rendered from the functions.

``rmqspec docs --write spec/clients.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from book.usage.reading_page import get_sentence
from properties.generated_text import SPEC, Page, render_table
from reference.decisions.clients.consuming import WAYS, Failed
from reference.decisions.clients.flow_control import PAUSES, Cached
from reference.decisions.clients.sending import (
    RETRIED_CODES,
    STATUS_BY_CODE,
    Attempt,
    SendAnswer,
    react,
)
from reference.decisions.clients.sending import SendSettings as Settings
from reference.decisions.clients.services import SERVICES
from reference.decisions.name_server.client_side import (
    DurationRange,
    Route,
    compute_pulls_elsewhere,
    compute_unknown_to_clients,
    compute_unlisted,
)

FINAL_CODES = {2: "SYSTEM_BUSY", 13: "MESSAGE_ILLEGAL"}
"""Two of the errors that are not tried again."""


def render_answers() -> str:
    """What a producer makes of each answer, without and with the retry of weak statuses."""
    names = {code: status.value for code, status in STATUS_BY_CODE.items()}
    answers = {**names, **RETRIED_CODES, **FINAL_CODES}
    settings = (Settings(), Settings(is_weak_status_retried=True))
    rows = [
        (shown, *(react(Attempt(SendAnswer(code), each)).value.value for each in settings))
        for code, shown in [
            *((code, f"{code} `{name}`") for code, name in answers.items()),
            (None, "none"),
        ]
    ]
    head = ("Answer", "the producer", "with `retryAnotherBrokerWhenNotStoreOK`")
    return render_table(head, rows)


def render_pauses() -> str:
    """The causes that postpone a pull."""
    rows = [
        (f"`{condition.__name__}`", get_sentence(condition), compute(Cached()))
        for condition, compute in PAUSES
    ]
    return render_table(("Condition", "Meaning", "delay in ms"), rows)


def render_ways() -> str:
    """What happens to a message that could not be consumed."""
    failed = Failed("", Route(), None, {})
    rows = [
        (f"`{condition.__name__}`", get_sentence(condition), compute(failed))
        for condition, compute in WAYS
    ]
    return render_table(("Condition", "Meaning", "Then"), rows)


def render_services() -> str:
    """What clients can do, with a master and without."""
    routes = {"master and slave": (0, 1), "slave only": (1,)}
    rows = [
        (
            f"`{each.__name__}`",
            get_sentence(each),
            *("yes" if each(brokers) else "no" for brokers in routes.values()),
        )
        for each in SERVICES
    ]
    return render_table(("Question", "Meaning", *routes), rows)


TIMES: Mapping[str, Callable[..., DurationRange]] = {
    "the name server lists it no longer": compute_unlisted,
    "a client knows": compute_unknown_to_clients,
    "a consumer pulls from a slave": compute_pulls_elsewhere,
}
"""What happens after a master's end, and within which times."""


def render_times() -> str:
    """How long a master's end goes unnoticed."""
    rows = [
        (words, *(say_seconds(compute(is_channel_closed=each)) for each in (True, False)))
        for words, compute in TIMES.items()
    ]
    return render_table(("Until", "a process that ended", "a host that vanished"), rows)


def say_seconds(span: DurationRange) -> str:
    """A span in words."""
    return f"{span.least_ms / 1000:g} to {span.most_ms / 1000:g} s" if span.most_ms else "at once"


PAGE = Page(
    SPEC / "clients.md",
    {
        "answers": render_answers,
        "pauses": render_pauses,
        "ways": render_ways,
        "services": render_services,
        "times": render_times,
    },
)
"""The chapter."""
