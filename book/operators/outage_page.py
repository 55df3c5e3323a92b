"""The generated parts of ``spec/after_the_master_is_gone.md``: courses, advice, trials, facts.

``rmqspec docs --write spec/after_the_master_is_gone.md`` writes them anew.
"""

from __future__ import annotations

from functools import partial

from book.operators import courses, outages, promotion, trials
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.procedures.facts import FACTS
from properties.scenarios.procedures.procedures import OUTAGE_PAGE
from properties.verdicts.findings.disputes import say_disputed


def render_facts() -> str:
    """What is proved of a slave whose master is gone."""
    rows = [
        (fact.sentence, ", ".join(fact.fault_models), say_disputed(fact.disputed) or "no")
        for fact in FACTS
    ]
    return render_table(("Proved", "If no other faults happen than", "Disputed"), rows)


PAGE = Page(
    SPEC / OUTAGE_PAGE,
    {
        "outages": outages.render_outages,
        "two masters": outages.render_two_masters,
        "course count": courses.render_count,
        "courses": courses.render_courses,
        "befores": courses.render_befores,
        "trials": partial(trials.render_trials, OUTAGE_PAGE),
        "promotion": promotion.render_advice,
        "facts": render_facts,
    },
)
"""The chapter."""
