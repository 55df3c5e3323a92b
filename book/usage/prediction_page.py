"""The generated parts of ``spec/predictions.md``: classes of refutations, and predictions.

``rmqspec docs --write spec/predictions.md`` writes them anew after certificates or
their data changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from book.links import link_claim, link_variant, write_citation
from properties.generated_text import SPEC, Page, count_steps, render_table
from properties.scenarios.predictions import Prediction, get_cell, load_predictions
from properties.schedules.telling import draw_cell
from properties.verdicts.findings.explanations import Explanation, explain_all, load_explanations
from properties.verdicts.verdict import Verdict
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from reference.worlds.replication.parameters import SMALL_PARAMETERS


def render_classes() -> str:
    """One row per class of refutations: sentence, number of verdicts, and evidence."""
    rows = []
    for explanation in load_explanations():
        cells = [verdict for _, verdict, found in explain_all() if found is explanation]
        rows.append(
            [
                f"`{explanation.name}`",
                explanation.sentence,
                str(len(cells)),
                describe_columns(cells),
                describe_evidence(explanation),
            ]
        )
    return render_table(["Class", "What happens", "Verdicts", "Fault models", "Evidence"], rows)


def describe_columns(cells: Iterable[Verdict]) -> str:
    """The fault models of these verdicts, in the order of the tables."""
    found = {verdict.fault for verdict in cells}
    if len(found) == len(FAULT_MODEL_BY_NAME):
        return "all"
    return ", ".join(name for name in FAULT_MODEL_BY_NAME if name in found)


def describe_evidence(explanation: Explanation) -> str:
    """Threads and recordings, or that it is a prediction."""
    predicted = [p for p in load_predictions() if p.explanation == explanation.name]
    links = [f"[{'staged' if p.staged else '*prediction*'}](#{p.name})" for p in predicted]
    if links and not explanation.is_prediction:
        links = [f"a special case: {', '.join(links)}"]
    recordings = list(map(write_citation, explanation.recordings))
    return "; ".join([", ".join(explanation.threads), *recordings, *links]).removeprefix("; ")


def render_prediction(prediction: Prediction) -> str:
    """A prediction, how to stage it, and its evidence."""
    return "\n".join(_list_paragraphs(prediction))


def _list_paragraphs(prediction: Prediction) -> Iterator[str]:
    verdict = get_cell(prediction)
    yield f"**{prediction.title}.**\n\n{prediction.what}"
    if prediction.staged:
        yield _render_list("Staged on real brokers of 4.4.0, and confirmed", prediction.staged)
    yield f"**Not reported.** {prediction.unreported}"
    yield _render_list("Seen so far", prediction.seen)
    yield _render_list("Configuration", prediction.configuration)
    yield _render_list("Events", prediction.events, is_numbered=True)
    yield _render_list("Expected observations", prediction.expected)
    yield _render_list("What would refute it", prediction.refuted_by)
    variants = ", ".join(map(link_variant, prediction.repaired_by))
    repair = variants or "no variant of this model"
    yield f"**Repaired by** {repair}. {prediction.repair_note}".rstrip() + "\n"
    yield (
        f"**The verdict:** {link_claim(prediction.claim)}, fault model "
        f'"{prediction.fault}", {prediction.structure_name}, '
        f"{count_steps(len(verdict.schedule))}, in files of "
        f"{SMALL_PARAMETERS.mapped_file_size_bytes} bytes. To replay it:\n"
    )
    yield f"```sh\n{format_command(prediction)}\n```\n"
    yield f"```text\n{draw_cell(prediction.structure, verdict)}\n```"


def format_command(prediction: Prediction) -> str:
    """The command that replays and draws a prediction's schedule."""
    return (
        f'./rmqspec explain {prediction.claim} "{prediction.fault}" \\\n'
        f'  --structure "{prediction.structure_name}"'
    )


def _render_list(title: str, lines: Iterable[str], *, is_numbered: bool = False) -> str:
    marks = (f"{i}." if is_numbered else "-" for i, _ in enumerate(lines, start=1))
    items = "\n".join(f"{mark} {line}" for mark, line in zip(marks, lines, strict=True))
    return f"**{title}**\n\n{items}\n"


PAGE = Page(
    SPEC / "predictions.md",
    {
        "classes": render_classes,
        **{each.name: partial(render_prediction, each) for each in load_predictions()},
    },
)
"""The chapter."""
