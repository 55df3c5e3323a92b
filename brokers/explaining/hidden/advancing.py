"""Every hidden step as soon as it is possible, in one order, until there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attrs import define, field

from brokers.explaining.controlled.steps import CONTROLLED_STEPS
from brokers.explaining.group_state import Arguments
from brokers.explaining.hidden.link_steps import LINK_STEPS
from brokers.explaining.hidden.log_steps import LOG_STEPS
from brokers.explaining.hidden.put_steps import PUT_STEPS, WAITS
from brokers.explaining.hidden.steps import HiddenStep, choose_bounds, is_below_caps
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.recordings.ahead.plan import MASTER
from reference.language.compiled import CompiledMachine, Ranges, State
from reference.language.machine import Action

MASTER_ROLE, SLAVE_ROLE = "master", "slave"
"""Who acts by a rule."""

ROUNDS_MAX = 20_000
"""Of steps between two moments; more are a defect of an order of steps, not of a recording."""

HIDDEN_RULES = (
    "receive_report",
    "enter_sync_state_set",
    "leave_sync_state_set",
    "position_transfer",
    "position_at_last_file",
    "transfer_batch",
    "create_slave_file",
    "append_to_slave",
    "append_at_wrong_offset",
    "drop_frame_beyond_file",
    "commit_master",
    "flush_master",
    "flush_slave",
    "create_master_file",
    "append_message",
    "fill_file",
    *WAITS,
    "drop_connection",
    "dispatch_master",
    "dispatch_slave",
    "expire_master_file",
    "expire_uncopied_master_file",
    "expire_slave_file",
    "delete_young_master_file",
    "delete_young_slave_file",
    "flush_master_too_few_pages",
    "flush_slave_too_few_pages",
    "connect_slave",
    "close_idle_connection",
    "append_other_message",
    "report_offset",
    "swallow_flush_error",
    "begin_master_stop",
    "begin_slave_stop",
)
"""Rules that nobody notes, in the order in which their steps are taken.

What answers a put comes before what would change the answer: reports are read and bytes sent
before the next message is appended, and that before a wait ends.
"""

LIMITED = frozenset(HIDDEN_RULES) - frozenset(WAITS)
"""Rules whose steps are noted where only a cap forbids them."""

KNOWLEDGE = LINK_STEPS | PUT_STEPS | LOG_STEPS | CONTROLLED_STEPS

STARTS_ANEW = frozenset({"append_message"})
"""After such a step the first rules have their turn again."""


@define(eq=False)
class Advance:
    """Takes the hidden steps of one structure."""

    steps: Sequence[HiddenStep] = field(repr=False)

    @classmethod
    def of(cls, machine: CompiledMachine, scripted: Collection[int] = ()) -> Advance:
        """The steps of its rules, in their order, but for those of brokers that somebody plays."""
        rank = {rule: place for place, rule in enumerate(HIDDEN_RULES)}
        named = ((name, Action(name)) for name in machine.instances)
        hidden = [
            (name, action)
            for name, action in named
            if action.rule_name in rank and not is_played(machine, name, scripted)
        ]
        hidden.sort(key=lambda each: rank[each[1].rule_name])
        return cls([make_step(machine, name, action) for name, action in hidden])

    def run(self, scene: Scene) -> None:
        """All steps that are possible, and that nothing which is still to be seen forbids.

        Raises:
            Refusal: there is no end of them.
        """
        rounds = 0
        while self.run_once(scene):
            rounds += 1
            if rounds > ROUNDS_MAX:
                raise Refusal("hidden steps go on for ever")

    def run_once(self, scene: Scene) -> bool:
        """Each step once; whether any was taken. What only a cap forbids is noted as blocked."""
        blocked: dict[str, float] = {}
        is_taken = False
        for step in self.steps:
            ranges = step.instance.find_ranges(scene.state)
            if ranges is None or not is_wanted(scene, step):
                continue
            choices = choose(scene, step, ranges)
            if any(take(scene, step, arguments) for arguments in choices):
                is_taken = True
                scene.unblock(step.name)
                if step.rule in STARTS_ANEW:
                    break
            elif step.rule in LIMITED and (choices or step.rule == "transfer_batch"):
                blocked[step.name] = scene.blocked.get(step.name, scene.now_ms)
        if not is_taken:
            scene.blocked = blocked
        return is_taken


def is_played(machine: CompiledMachine, name: str, scripted: Collection[int]) -> bool:
    """An instance is an act of a broker that somebody plays, by slave number or MASTER.

    A slave that is played is accepted as any other, and either end may close.
    """
    instance = machine.instances[name].recorded.instance
    if instance.rule.who == MASTER_ROLE and MASTER in scripted:
        return instance.rule.name != "close_idle_connection"
    is_act = instance.rule.who == SLAVE_ROLE and instance.rule.name != "connect_slave"
    return is_act and any(slave in instance.indexes for slave in scripted)


def make_step(machine: CompiledMachine, name: str, action: Action) -> HiddenStep:
    """What is looked up of an instance once."""
    instance = machine.instances[name]
    index = 0 if action.index is None else action.index
    is_of_slave = "slave" in instance.recorded.instance.rule.indexes
    return HiddenStep(
        name,
        action.rule_name,
        index,
        f"slaves.{index}" if is_of_slave else "master",
        instance,
        tuple((leaf, machine.places[leaf]) for leaf in instance.recorded.effects),
    )


def is_wanted(scene: Scene, step: HiddenStep) -> bool:
    """The step may be taken now, whatever its arguments."""
    wanted = KNOWLEDGE.wanted.get(step.rule)
    return wanted is None or wanted(scene, step)


def choose(scene: Scene, step: HiddenStep, ranges: Ranges) -> list[Arguments]:
    """The arguments to try, the best first."""
    if not ranges:
        return [{}]
    return list(KNOWLEDGE.choose.get(step.rule, choose_bounds)(scene, step, ranges))


def take(scene: Scene, step: HiddenStep, arguments: Arguments) -> bool:
    """Take a step, if it changes something and nothing that is still to be seen forbids it."""
    after = step.instance.take(scene.state, arguments)
    if after is None or after == scene.state or not is_allowed(scene, step, after):
        return False
    note = KNOWLEDGE.note.get(step.rule)
    if note is not None:
        note(scene, step, arguments, after)
    scene.take(step.name, arguments, after)
    return True


def is_allowed(scene: Scene, step: HiddenStep, after: State) -> bool:
    """Nothing that is still to be seen forbids what a step leads to."""
    return KNOWLEDGE.allowed.get(step.rule, is_below_caps)(scene, step, after)
