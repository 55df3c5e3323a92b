"""The generated parts of a counterexample page, its diagram, and the table of all pages.

``rmqspec docs --write spec/counterexamples/...`` writes them anew after certificates have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from book.diagram.svg import draw_schedule
from book.explorer.places import link_counterexample
from book.function_source import read_source
from book.links import link_claim, link_rule, link_variant, read_title
from book.model.code_page import fence
from book.refutations.elsewhere import (
    group_by_verdict,
    list_deployments,
    list_releases,
    list_variants,
    render_others,
)
from book.refutations.evidence import (
    NeededStep,
    describe_report,
    find_explanation,
    find_known_issues,
    find_predictions,
    is_same_story,
    list_needless_pairs,
    list_needs,
    list_recorded,
)
from book.refutations.stock_sizes import render_stock_sizes
from properties.generated_text import Page, count_steps, render_table
from properties.scenarios.counterexamples.cases import (
    FOLDER,
    CounterexamplePage,
    choose_schedule,
    load_cases,
)
from properties.scenarios.stock_sizes import say_stock
from properties.scenarios.summary.codes import find_code_of_cell, find_row, list_usual_codes
from properties.scenarios.summary.rows import make_code
from properties.scenarios.summary.words import load_words
from properties.schedules.judgement import JudgedStep
from properties.schedules.legend import read_legend
from properties.schedules.telling import describe_action, find_fault_steps, list_sizes
from reference.language.drawing import fill_lanes, list_lanes

UP = "../"
"""From a page to the other chapters."""


def draw_page(case: CounterexamplePage) -> str:
    """The diagram of a page, as an SVG file."""
    title = f"{case.structure_name}, {case.fault}: how {case.claim} breaks"
    return draw_schedule(case.walk(), title, f"{case.claim} does not hold")


def render_overview() -> str:
    """A row for each page."""
    head = ("Counterexample", "Guarantee, code", "Where", "Faults", "Steps", "Seen")
    return render_table(head, map(_list_overview_cells, load_cases()))


def _list_overview_cells(case: CounterexamplePage) -> Iterator[object]:
    title = read_title(case.page)
    yield f"[{title}]({case.page.name})"
    code = find_code_of_cell(case.structure, case.verdict)
    yield f"`{case.claim}`{f', {code}' if code else ''}"
    yield case.structure_name
    yield case.fault
    yield say_length(str(len(case.schedule)), case)
    yield describe_seen(case)


def say_length(length: str, case: CounterexamplePage) -> str:
    """A length, with a warning if there is or may be a shorter schedule."""
    if case.told:
        return f"{length}; the shortest in the model has {len(case.verdict.schedule)}"
    return length if case.is_shortest else f"{length}, not known to be the shortest"


def describe_seen(case: CounterexamplePage) -> str:
    """The support of the page: recorded, reported or predicted."""
    if any(list_recorded(case)):
        return "recorded"
    explanation = find_explanation(case)
    is_reported = any(
        is_same_story(case, scenario) and scenario.certainty != "C"
        for scenario in find_known_issues(case)
    )
    if is_reported or (explanation is not None and explanation.threads):
        return "reported"
    return "predicted"


def render_glance(case: CounterexamplePage) -> str:
    """A table of the case: guarantee, structure, fault model, length, support."""
    rows = [
        ("Guarantee", link_claim(case.claim, UP)),
        ("Where", case.structure_name),
        ("Fault model", f'"{case.fault}"'),
        ("Length", say_length(count_steps(len(case.schedule)), case)),
        *(("Stock sizes", text) for text in [say_stock(case.structure, case.verdict)] if text),
        ("Seen", describe_seen(case)),
        ("Code", describe_code(case)),
    ]
    return render_table(("RocketMQ 4.4.0", ""), rows)


def describe_code(case: CounterexamplePage) -> str:
    """The code under which the screen of ``check`` shows the guarantee broken."""
    code = find_code_of_cell(case.structure, case.verdict)
    if not code:
        return "none: `./rmqspec check` has no row for it"
    words = load_words().numbered[int(code[1:])]
    row = find_row(case.claim)
    is_own = row is not None and make_code(row, case.structure, case.verdict) == code
    words += "" if is_own else ", which is enough to break it"
    explain = f"; `./rmqspec explain {code}` has its story" if code in list_usual_codes() else ""
    return f"{code} on the screen of `./rmqspec check` ({words}){explain}"


def render_property(case: CounterexamplePage) -> str:
    """The sentence of the guarantee, and its predicate as in the source."""
    predicate = case.structure.world.claims[case.claim].predicate
    return f"> {case.sentence}\n\n{fence([read_source(predicate, has_docstring=False)])}"


def render_picture(case: CounterexamplePage) -> str:
    """The diagram, with a text alternative; only the site has it."""
    drawn = f"![{case.claim} breaks after {count_steps(len(case.schedule))}]({case.picture.name})"
    return f"{drawn}\n\n{link_counterexample(UP, case.claim)}."


def point_at_picture(case: CounterexamplePage) -> str:
    """What the text has instead of the diagram."""
    return (
        f"{link_counterexample(UP, case.claim)}.\n"
        "The site, which `./rmqspec docs` builds, has it as a picture here."
    )


def render_steps(case: CounterexamplePage) -> str:
    """The steps, and the state of each node after each, if it has changed."""
    steps = case.walk()
    titles = [title for title, _ in list_lanes(steps[0].cluster)]
    shown = [n for n in range(len(titles)) if any(read_states(step)[n] for step in steps[1:])]
    faults = find_fault_steps(steps)
    rows = []
    before = [""] * len(titles)
    for step in steps[1:]:
        states = read_states(step)
        mark = "**" if step.index in faults else ""
        assert step.action is not None
        told = f"{mark}{describe_action(step.action, step.cluster)}{mark}"
        changed = (say_state(states[n]) if states[n] != before[n] else "" for n in shown)
        rows.append([step.index, told, *changed])
        before = states
    table = render_table(("Step", "What happens", *(titles[n] for n in shown)), rows)
    return table if case.group else f"{table}\n\n{read_legend(case.structure)}"


def say_state(state: str) -> str:
    """A state as code; a dash if a node has none any more."""
    return f"`{state}`" if state else "-"


def read_states(step: JudgedStep) -> list[str]:
    """The text of each lane of a timeline about the state after a step."""
    assert step.action is not None
    return [text.state for text in fill_lanes(step.cluster, step.action)]


def render_needs(case: CounterexamplePage) -> str:
    """Why each step is possible, its place in RocketMQ's code, and the effect of omitting it."""
    head = ("Step", "Rule", "Without it", "Possible because", "RocketMQ's code")
    return render_table(head, (_list_need_cells(need) for need in list_needs(case)))


def _list_need_cells(need: NeededStep) -> Iterator[object]:
    yield need.step
    yield link_rule(need.rule, UP)
    yield describe_lack(need)
    yield ", ".join(f"`{name}`" for name in need.conditions)
    yield need.rule.source


def describe_lack(need: NeededStep) -> str:
    """The result of the schedule without one step."""
    if need.is_enough_without:
        return "the guarantee still breaks"
    if need.refused_step is None:
        return "the guarantee holds to the end"
    failed = ", ".join(f"`{name}`" for name in need.refused_for)
    return f"step {need.refused_step} is impossible: not {failed}"


FAULTS_TWICE = "Each fault that the fault model admits may happen twice."
"""The limits of every search."""


def render_minimal(case: CounterexamplePage) -> str:
    """The searches for a shorter schedule and their sizes, or that there were none."""
    if case.told:
        lines = list_reasons(case)
    else:
        lines = list_searches(case) if case.is_shortest else list_doubts(case)
    heading = "Why none is shorter" if case.is_shortest else "Could it be shorter?"
    return "\n".join((f"## {heading}", "", *(f"- {line}" for line in lines)))


def list_reasons(case: CounterexamplePage) -> Iterator[str]:
    """Why the page shows a longer schedule than the shortest one."""
    shortest = choose_schedule(case.structure, case.verdict)
    yield f"{shortest.remark} This page shows one that real brokers can take."
    yield "No step can be left out: see *Without it* above."
    pairs = [f"{one} and {other}" for one, other in list_needless_pairs(case)]
    if not pairs:
        yield "No two steps can be left out together either."


def list_searches(case: CounterexamplePage) -> Iterator[str]:
    """The searches for a shorter schedule."""
    steps = len(case.schedule)
    fewer = f"of fewer than {count_steps(steps)}" if steps > 1 else "without a step"
    searched = f"found no schedule {fewer}"
    if not case.verdict.is_shortest:
        searched = "found it, and was not repeated since rules have changed"
    yield f"Bounded search (Z3) {searched}{say_sizes(case)}. {FAULTS_TWICE}"
    if case.is_counted:
        yield (
            "A breadth-first search over all states, which shares nothing with Z3 but the "
            f"rules, also finds the first violation after {count_steps(steps)}."
        )
    else:
        yield "There was no other search: only Z3 checks claims about rest."
    yield "No step can be left out: see *Without it* above."


def list_doubts(case: CounterexamplePage) -> Iterator[str]:
    """A warning that a shorter one may exist, and how far this one was shortened."""
    fewer = f"fewer than {count_steps(len(case.schedule))}"
    if case.structure.world.depth_limit == 0:
        yield (
            "It is not known to be the shortest: states of this world are too large for a search "
            f"step by step, and no search covered schedules of {fewer}."
        )
        yield f"Random schedules found it{say_sizes(case)}. {FAULTS_TWICE}"
    else:
        yield (
            "It is not known to be the shortest: no search for schedules of "
            f"{fewer} was repeated since rules have changed."
        )
        yield f"It breaks the guarantee{say_sizes(case)}. {FAULTS_TWICE}"
    yield "No step can be left out: see *Without it* above."
    pairs = [f"{one} and {other}" for one, other in list_needless_pairs(case)]
    if pairs:
        yield f"Without steps {' or '.join(pairs)} together it breaks too."
    else:
        yield "No two steps can be left out together either."


def say_sizes(case: CounterexamplePage) -> str:
    """With which sizes it is searched, as the end of a clause; empty in a world without any."""
    sizes = [f"`{name}` {value}" for name, value in list_sizes(case.parameters).items()]
    return f", with: {', '.join(sizes)}" if sizes else ""


def render_seen(case: CounterexamplePage) -> str:
    """Recorded lines, reports of users, or a note that there are none."""
    lines = [(f"`{x.recording}` seq {x.seq} (`{x.event}`)", x.quote()) for x in list_recorded(case)]
    parts = (
        [render_table(("Recorded on real brokers", "Content of the line"), lines)] if lines else []
    )
    told = [f"- {line}" for line in _list_reports(case)]
    parts += ["\n".join(told)] if told else []
    return "\n\n".join(parts) or "Neither recorded nor reported, as far as we know."


def _list_reports(case: CounterexamplePage) -> Iterator[str]:
    explanation = find_explanation(case)
    if explanation is not None:
        yield f"The class `{explanation.name}`: {explanation.sentence}"
        if explanation.threads:
            yield f"Consistent with the threads {', '.join(explanation.threads)}."
    for scenario in find_known_issues(case):
        if is_same_story(case, scenario):
            yield describe_report(scenario)
    for prediction in find_predictions(case):
        link = f"[{prediction.title}](../predictions.md#{prediction.name})"
        yield f"A prediction, with a recipe to stage it: {link}."


def render_elsewhere(case: CounterexamplePage) -> str:
    """The same verdict in other deployments, with repairs, in later releases."""
    compared = {"Deployment": list_deployments(case)}
    if case.group:
        compared["Repair"] = list_variants(case.group)
        compared["Release from"] = list_releases(case.group)
    rows = [
        (kind, verdict, ", ".join(map(LINKS.get(kind, str), names)))
        for kind, named in compared.items()
        for verdict, names in sorted(group_by_verdict(case, named).items())
    ]
    return render_table(("", "Verdict", "Under"), rows)


LINKS = {"Repair": partial(link_variant, up=UP)}
"""How the names of a row are written."""


def render_reproduction(case: CounterexamplePage) -> str:
    """The commands that reproduce the case."""
    structure = f'--structure "{case.structure_name}"'
    code = find_code_of_cell(case.structure, case.verdict)
    lines = [
        *([f"./rmqspec explain {code}"] if code in list_usual_codes() else []),
        f'./rmqspec explain {case.claim} "{case.fault}" \\\n  {structure}',
        f"./rmqspec prove {structure}",
        f"./rmqspec export itf --out traces {structure}",
    ]
    return "```sh\n" + "\n".join(lines) + "\n```"


PARTS: Mapping[str, Callable[[CounterexamplePage], str]] = {
    "glance": render_glance,
    "property": render_property,
    "picture": render_picture,
    "steps": render_steps,
    "needs": render_needs,
    "minimal": render_minimal,
    "seen": render_seen,
    "elsewhere": render_elsewhere,
    "others": render_others,
    "reproduction": render_reproduction,
}
"""The generated parts of a page about a case, by their marker."""

OVERVIEW = Page(FOLDER / "README.md", {"pages": render_overview, "stock sizes": render_stock_sizes})
"""The chapter that lists all pages."""

PAGES = tuple(
    Page(
        case.page,
        {name: partial(render, case) for name, render in PARTS.items()},
        site_only={"picture": partial(point_at_picture, case)},
    )
    for case in load_cases()
)
"""The page of each case."""

PICTURES: Mapping[Path, Callable[[], str]] = {
    case.picture: partial(draw_page, case) for case in load_cases()
}
"""The diagram of each case, which only the site has."""
