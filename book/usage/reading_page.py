"""The generated tables of ``spec/reading.md``, rendered from the functions of the read decision.

``rmqspec docs --write spec/reading.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from attrs import evolve

from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.reading_claims import (
    CIRCUMSTANCES,
    DEPLOYMENTS,
    READING_CLAIMS,
    Circumstance,
    ReadingDeployment,
    Run,
    decide,
    pull_from,
)
from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.get_message import UNSCANNED, GetMessageResult, get_message
from reference.decisions.reading.pull import CHECKS, PullMessageRequest, PullSituation, Topic
from reference.decisions.reading.pull_processor import CODE_WRITES, SUGGESTION_WRITES, answer_pull
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.roles import Role

QUEUE = ReadableQueue(10, 50, 20, [MessageLocation(n * 100, 100) for n in range(20, 50)], 20)
"""The queue of the examples: messages 10 to 49, whose first file has gone missing."""

EXAMPLES: Mapping[str, tuple[int, ReadableQueue]] = {
    "is_queue_empty": (5, ReadableQueue()),
    "is_offset_too_small": (5, QUEUE),
    "is_offset_at_end": (50, QUEUE),
    "is_offset_beyond_end": (55, QUEUE),
    "is_queue_file_missing": (15, QUEUE),
    "is_message_found": (45, QUEUE),
}
"""For each condition an offset and a queue for which it decides."""

MASTER = StoreSettings()
SLAVE = evolve(MASTER, role=Role.SLAVE)
CHECKING = evolve(SLAVE, is_offset_checked_in_slave=True)
GROUP = SubscriptionGroup(broker_id=7, slow_broker_id=8)
"""Ids that no other rule gives."""


def render_flow() -> str:
    """The path of a pull as a Mermaid chart: the checks, the store's conditions, the answer."""
    conditions = [condition.__name__ for condition, _ in UNSCANNED]
    results = {name: answer_example(name).status.name for name in EXAMPLES}
    lines = [
        "flowchart TD",
        "    pull([a pull of a consumer]) --> checks{{one of the broker's checks fails?}}",
        "    checks -- yes --> refused[refused with the check's code]",
        f"    checks -- no --> {conditions[0]}{{{{{conditions[0]}?}}}}",
    ]
    for name, following in pairwise([*conditions, "is_message_found"]):
        lines.append(f"    {name} -- yes --> {results[name]}[{results[name]}]")
        shape = "batch" if following == "is_message_found" else f"{following}{{{{{following}?}}}}"
        lines.append(f"    {name} -- no --> {shape}")
    lines += [
        "    batch[collect messages until the batch is full] --> found{{is_message_found?}}",
        f"    found -- yes --> {results['is_message_found']}[{results['is_message_found']}]",
        "    found -- no --> NO_MATCHED_MESSAGE[NO_MATCHED_MESSAGE or MESSAGE_WAS_REMOVING]",
        "    batch -. last entry further back than memory .-> slow[suggest reading elsewhere]",
    ]
    return "```mermaid\n" + "\n".join(lines) + "\n```"


def answer_example(name: str) -> GetMessageResult:
    """What a master's store answers to the example of a condition."""
    offset, queue = EXAMPLES[name]
    return get_message(Read(MASTER, queue, offset, 32, log_max_offset=5_000))


def get_sentence(condition: Callable[..., bool]) -> str:
    """What a condition means, as its function says."""
    return (condition.__doc__ or "").splitlines()[0].replace("``", "`")


def render_statuses() -> str:
    """The store's answer, and where the reader continues, on each kind of broker."""
    rows = []
    sentences = {condition.__name__: get_sentence(condition) for condition, _ in UNSCANNED}
    for name, (offset, queue) in EXAMPLES.items():
        read = Read(MASTER, queue, offset, 32, log_max_offset=5_000)
        results = [get_message(evolve(read, settings=s)) for s in (MASTER, CHECKING, SLAVE)]
        assert {result.status_decided_by for result in results} == {name}
        nexts = [result.next_begin_offset for result in results]
        sentence = sentences.get(name, "The batch holds a message.")
        rows.append((f"`{name}`", sentence, f"`{results[0].status.name}`", offset, *nexts))
    head = ("Condition", "Meaning", "Status", "offset", "master", "checking slave", "slave")
    return render_table(head, rows)


def render_checks() -> str:
    """The checks that refuse a pull."""
    rows = [(f"`{c.__name__}`", get_sentence(c), f"{code} `{code.name}`") for c, code in CHECKS]
    return render_table(("Condition", "Meaning", "Code"), rows)


def render_writes() -> str:
    """The writes of code and suggestion, in order."""
    rows = [
        (what, f"`{condition.__name__}`", get_sentence(condition))
        for what, writes in (("code", CODE_WRITES), ("broker", SUGGESTION_WRITES))
        for condition, _ in writes
    ]
    return render_table(("Writes the", "if", "Meaning"), rows)


def render_decisions() -> str:
    """Code and suggestion for each status, on each kind of broker."""
    rows = []
    for circumstance in CIRCUMSTANCES:
        cells = [
            describe_answer(store, is_open, circumstance)
            for store in (MASTER, CHECKING, SLAVE)
            for is_open in (False, True)
        ]
        rows.append((describe(circumstance), *cells))
    head = [
        f"{who}{', open' if is_open else ''}"
        for who in ("master", "checking slave", "slave")
        for is_open in (False, True)
    ]
    return render_table(("Status of the read", *head), rows)


def describe(circumstance: Circumstance) -> str:
    """The status of a read in words."""
    words = f"`{circumstance.status.name}`"
    words += ", slow" if circumstance.is_slow else ""
    return words + (" at 0" if circumstance.offset == 0 else "")


def describe_answer(store: StoreSettings, is_open: bool, circumstance: Circumstance) -> str:
    """Code and suggested broker in words."""
    read = Read(store, ReadableQueue(), circumstance.offset, 32, log_max_offset=0)
    result = evolve(
        get_message(read), status=circumstance.status, is_slave_suggested=circumstance.is_slow
    )
    broker = BrokerSettings(is_slave_read_enabled=is_open)
    pull = PullMessageRequest(circumstance.offset)
    answer = answer_pull(PullSituation(pull, store, broker, GROUP, Topic(), None, result))
    names = {GROUP.broker_id: "`brokerId`", GROUP.slow_broker_id: "slow"}
    return f"{answer.code}, {names.get(answer.suggested_broker_id or 0, '0')}"


def render_redirects() -> str:
    """Where the next pull goes, for a group that was never changed."""
    rows = []
    for broker, where in ((0, "master"), (1, "slave 1")):
        for is_open in (False, True):
            for is_slow in (False, True):
                deployment = ReadingDeployment(is_open, is_open, 0, 1)
                circumstance = next(c for c in CIRCUMSTANCES if c.is_slow == is_slow)
                step = pull_from(deployment, broker, circumstance)
                rows.append((where, *map(say, (is_open, is_slow)), step.next_broker))
    head = (
        "Answering broker",
        "its `slaveReadEnable`",
        "further back than its memory",
        "next pull goes to",
    )
    return render_table(head, rows)


def say(is_so: bool) -> str:
    """Yes or no."""
    return "yes" if is_so else "no"


def render_claims() -> str:
    """Each claim: for how many deployments it is made, and in how many it holds."""
    rows = []
    for name, claim in READING_CLAIMS.items():
        meant = [each for each in DEPLOYMENTS if claim.is_meant(each)]
        kept = sum(decide(name, each) is None for each in meant)
        rows.append((f"`{name}`", claim.sentence, len(meant), kept))
    return render_table(("Claim", "Sentence", "deployments", "holds in"), rows)


SHOWN: Mapping[str, ReadingDeployment] = {
    "correct: open on both, both ids 1": ReadingDeployment(True, True, 1, 1),
    "open on both, group as created": ReadingDeployment(True, True, 0, 1),
    "open on the master only, both ids 1": ReadingDeployment(True, False, 1, 1),
    "open on the slave only, both ids 1": ReadingDeployment(False, True, 1, 1),
    "nothing set": ReadingDeployment(False, False, 0, 1),
    "open on both, slow consumers sent to a broker 2 that does not exist": ReadingDeployment(
        True, True, 0, 2
    ),
    "nothing set, only the slave left": ReadingDeployment(False, False, 0, 1, route=(1,)),
}
"""Usual deployments, in words."""


def render_deployments() -> str:
    """For usual deployments: each claim, and the shortest run that breaks it."""
    rows = []
    for words, deployment in SHOWN.items():
        for name, claim in READING_CLAIMS.items():
            if claim.is_meant(deployment):
                run = decide(name, deployment)
                rows.append((words, f"`{name}`", "holds" if run is None else describe_run(run)))
    return render_table(("Deployment", "Claim", "Shortest run that breaks it"), rows)


def describe_run(run: Run) -> str:
    """A run in words: the answering brokers, the statuses of their reads, the next broker."""
    parts = [f"{step.broker} ({describe(step.circumstance)})" for step in run]
    return ", ".join(parts) + f", then {run[-1].next_broker}; suggested: {run[-1].suggested}"


PAGE = Page(
    SPEC / "reading.md",
    {
        "flow": render_flow,
        "statuses": render_statuses,
        "checks": render_checks,
        "writes": render_writes,
        "decisions": render_decisions,
        "redirects": render_redirects,
        "claims": render_claims,
        "deployments": render_deployments,
    },
)
"""The chapter."""
