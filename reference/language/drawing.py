"""A schedule drawn as a timeline: one lane per node, one line per step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference.language.machine import Action
from reference.language.structure import LaneText


def list_lanes(state: Any) -> tuple[tuple[str, int], ...]:
    """Title and width of each lane."""
    lanes: tuple[tuple[str, int], ...] = state.structure.lanes.list_lanes(state)
    return lanes


def fill_lanes(state: Any, action: Action) -> tuple[LaneText, ...]:
    """What each lane shows of a step and of the state after it."""
    texts: tuple[LaneText, ...] = state.structure.lanes.fill_lanes(state, action)
    return texts


def draw_timeline(
    steps: Iterable[tuple[Action | None, Any, tuple[str, ...]]],
) -> str:
    """The drawing of judged steps: (action or None, state after it, guarantees violated there).

    A guarantee is named at the first step that violates it.
    """
    lines: list[str] = []
    seen: set[str] = set()
    for index, (action, state, violated) in enumerate(steps):
        if action is None:
            lines += _draw_head(state)
            continue
        lines.append(f"{index:>4}  " + _draw_step(action, state))
        for name in violated:
            if name not in seen:
                seen.add(name)
                lines.append(f"      ✗ {name}")
    return "\n".join(line.rstrip() for line in lines)


def _draw_head(state: Any) -> list[str]:
    (first, first_width), *lanes = list_lanes(state)
    head = "step  " + first.ljust(first_width)
    head += "".join("│ " + title.ljust(width) for title, width in lanes)
    below = "──────" + "─" * first_width
    return [head, below + "".join("┼" + "─" * (width + 1) for _, width in lanes)]


def _draw_step(action: Action, state: Any) -> str:
    texts = zip(fill_lanes(state, action), list_lanes(state), strict=True)
    return "│ ".join(text.fit(width).ljust(width - 1) + " " for text, (_, width) in texts)
