"""Judged schedules as timelines for a terminal, and as stories in sentences.

A story names the deployment, its steps and its faults in order, and the guarantee that breaks. The
words of a step are the first sentence of its rule, in every world.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import attrs
from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, replay
from properties.verdicts.verdict import Verdict
from reference.language.drawing import draw_timeline, list_lanes
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters


def draw_steps(steps: Iterable[JudgedStep], width: int | None = None) -> str:
    """The timeline of judged steps; a guarantee is named at the first step that violates it.

    No line is longer than ``width``; None draws lanes of a fixed width.
    """
    return draw_timeline(((step.action, step.cluster, step.violated) for step in steps), width)


def draw_cell(structure: ClaimedStructure, verdict: Verdict, width: int | None = None) -> str:
    """The timeline of a refuted verdict in small sizes, up to the claim that it breaks."""
    parameters = structure.world.make_search_parameters(
        structure.world.get_fault_model(verdict.fault)
    )
    steps = replay(structure, parameters, verdict.schedule, (verdict.guarantee,))
    return draw_steps(steps, width)


DEPLOYMENT, STEPS, EVENT, RESULT = "Deployment", "Steps", "Event", "Result"
SOURCE_REFERENCE = re.compile(r" \([A-Z]+-[A-Z0-9-]+(, [A-Z]+-[A-Z0-9-]+)*\)")
"""The citation in a rule's sentence, for example `` (R-HA-21)``, for readers of the sources."""


@frozen
class Sentence:
    """One part of a story: a head, and sentences."""

    word: str
    """The head: DEPLOYMENT, STEPS, EVENT or RESULT."""
    text: str
    """Its sentences, each with a full stop."""
    steps: tuple[int, ...] = ()
    """The numbers of the steps that it describes, from 1."""

    def __str__(self) -> str:
        return f"{self.word}: {self.text}"


def tell(guarantee: str, steps: Sequence[JudgedStep]) -> list[Sentence]:
    """The story of a replayed schedule whose last step violates the guarantee.

    An event is a fault, or something that the environment does. The other steps are those of
    brokers, producers and consumers.
    """
    broken = steps[-1].cluster.structure.world.get_claim(guarantee).sentence
    return [*tell_steps(steps), tell_end(steps, f"{guarantee} does not hold: “{broken}”")]


def tell_steps(steps: Sequence[JudgedStep]) -> list[Sentence]:
    """The deployment and the steps of a story, without its end."""
    struck = find_fault_steps(steps)
    story = [Sentence(DEPLOYMENT, describe_setting(steps[0].cluster))]
    for is_fault, run in groupby(steps[1:], key=lambda s: s.index in struck):
        told = list(run)
        word = EVENT if is_fault else STEPS
        story.append(Sentence(word, join_steps(told), tuple(s.index for s in told)))
    return story


def tell_end(steps: Sequence[JudgedStep], what: str) -> Sentence:
    """The condition after the last step that should not be."""
    last = steps[-1].index
    return Sentence(RESULT, f"{f'after step {last}' if last else 'at the beginning'}, {what}")


def find_fault_steps(steps: Iterable[JudgedStep]) -> frozenset[int]:
    """The numbers of the steps in which a fault or an environment event happens."""
    return frozenset(_find_fault_steps(steps))


def _find_fault_steps(steps: Iterable[JudgedStep]) -> Iterator[int]:
    counts: Any = None
    for step in steps:
        if counts is not None and step.cluster.faults != counts:
            yield step.index
        counts = step.cluster.faults


def describe_setting(state: Any) -> str:
    """The deployment of a state and its sizes."""
    sizes = ", ".join(f"{name} {value}" for name, value in list_sizes(state.parameters).items())
    return f"{state.structure.name}, with {sizes}." if sizes else f"{state.structure.name}."


def list_sizes(parameters: BaseParameters) -> dict[str, int]:
    """The sizes and thresholds among a world's parameters: all but the fault limits."""
    values = attrs.asdict(parameters, recurse=False).items()
    return {name: value for name, value in values if isinstance(value, int)}


def join_steps(steps: Sequence[JudgedStep]) -> str:
    """A sentence for each of these steps, with its number before it."""
    return " ".join(
        f"({s.index}) {upper_first(describe_action(s.action, s.cluster))}."
        for s in steps
        if s.action is not None
    )


def describe_action(action: Action, state: Any) -> str:
    """A step in words: its rule's sentence up to a semicolon, its broker, its arguments.

    For example ``a slave connects and is counted at once [slave 2]``.
    """
    instance = compute_machine(state.structure).instances[action.instance]
    words = SOURCE_REFERENCE.sub("", instance.rule.sentence).rstrip(".").partition(";")[0]
    sizes = state.structure.index_counts
    indexes = zip(instance.rule.indexes, instance.indexes, strict=True)
    about = [name_index(state, kind, index) for kind, index in indexes if sizes[kind] > 1]
    about += [f"{name} = {value}" for name, value in action.arguments.items()]
    return lower_first(words) + (f" [{', '.join(about)}]" if about else "")


def name_index(state: Any, kind: str, index: int) -> str:
    """One of several slaves or brokers, by the title of its lane in a timeline."""
    titles = [title for title, _ in list_lanes(state)]
    own = [title for title in titles if title.startswith(kind)] or titles
    is_lane_each = len(own) == state.structure.index_counts[kind]
    return own[index] if is_lane_each else f"{kind} {index + 1}"


def lower_first(text: str) -> str:
    """The text as it continues a sentence."""
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """The text as it begins a sentence."""
    return text[:1].upper() + text[1:]
