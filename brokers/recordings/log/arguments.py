"""Which arguments of hidden steps are worth a try: those shown, and those that goals want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from brokers.recordings.ahead.plan import MASTER, find_latest, find_next, find_now_or_next
from brokers.recordings.clock import GRAIN_MS, SLACK_MS
from brokers.recordings.hidden.goals import list_wanted
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.log.notes import LinkNotes
from brokers.recordings.recorded_log import RecordedLog
from reference.language.machine import Action

APPENDING = ("append_to_slave", "append_at_wrong_offset")
"""The rules by which a slave takes a frame."""

OTHERS = "append_other_message"
"""The put of a message that no event shows."""

FEW_REPORTS = 8
"""Of so many reports that the master has not read each one is tried."""

OF_LINKS = (*APPENDING, "transfer_batch", "receive_report")
"""The rules by which bytes and reports go over a link."""


@frozen(eq=False)
class Arguments:
    """The values of the arguments in one recording."""

    guide: RecordedLog

    def list_values(
        self,
        node: Node,
        action: Action,
        argument: str,
        bounds: tuple[int, int],
        goals: Sequence[Goal],
    ) -> Iterable[int]:
        """The values of one argument that are worth a try."""
        shown = self._list_shown(node, action, argument, goals)
        if shown is None:
            shown = self._list_hidden(node, action, bounds[1], goals)
        if shown is not None:
            return shown
        wanted = self._list_wanted(node, action, bounds, goals)
        if argument == "recovered_offset":
            index = action.index
            return [*self._list_recovered(MASTER if index is None else index), *wanted]
        return wanted

    def _list_shown(
        self, node: Node, action: Action, argument: str, goals: Sequence[Goal]
    ) -> Sequence[int] | None:
        """The only values that the recording allows; None where it shows none."""
        rule, index = action.rule_name, action.index
        if rule == "append_message" and argument == "size_bytes":
            put = self.guide.find_following(node)
            return [put.size_bytes] if put else []
        if rule not in OF_LINKS or index is None or not node.notes.wires[index].is_recorded:
            return None
        wire: LinkNotes = node.notes.wires[index]
        if rule == "receive_report":
            return self._list_reports(node, index, goals)
        frames = self.guide.list_frames(wire, index)
        if rule in APPENDING:
            return [frame.size_bytes for frame in frames[wire.taken : wire.forwarded][:1]]
        ahead = frames[wire.sent : wire.sent + 1]
        return [ahead[0].size_bytes] if ahead else None

    def _list_reports(self, node: Node, slave: int, goals: Sequence[Goal]) -> Sequence[int]:
        """Reports that the master may read next; of many only what a goal or a put waits for.

        First the one that came so long ago that it has been read by now, and so all before it.
        """
        reports = node.notes.wires[slave].reports
        old = find_latest(self.guide.plan.links[slave].reports, self.guide.now_ms - SLACK_MS)
        read = [old] if old in reports else []
        if len(reports) <= FEW_REPORTS:
            return [*read, *reports]
        slots = range(len(node.notes.slots))
        ends = [self.guide.get(node, f"messages.{slot}.end_offset") for slot in slots]
        above = self.guide.get(node, "master.push2_slave_max_offset") + 1
        wanted = {goal.wanted for goal in goals if goal.path}
        covering = [next((r for r in reports if r >= end), reports[-1]) for end in (above, *ends)]
        return [*read, *(r for r in reports if r in wanted), *covering, reports[0], reports[-1]]

    def _list_hidden(
        self, node: Node, action: Action, high: int, goals: Sequence[Goal]
    ) -> Sequence[int] | None:
        """The likely values where a recording shows no puts, or no traffic; None for others."""
        rule, index = action.rule_name, action.index
        if rule == OTHERS and self.guide.plan.are_puts_hidden:
            return self._list_other_sizes(node)
        if rule not in OF_LINKS or index is None or node.notes.wires[index].is_recorded:
            return None
        if rule == "receive_report":
            return [*(goal.wanted for goal in goals if goal.path), high]
        return self._list_hidden_sizes(node, rule, index, high)

    def _list_hidden_sizes(self, node: Node, rule: str, slave: int, high: int) -> Sequence[int]:
        """As far as the slave's log is seen to end next, or all that there is."""
        path = f"links.{slave}.next_transfer_offset"
        begin = self.guide.get_max(node, slave)
        if rule not in APPENDING:
            begin = self.guide.get(node, path)
        ends = self.guide.plan.links[slave].slave_observations
        following = find_next(ends, self.guide.now_ms - GRAIN_MS)
        return [high] if following is None else [min(high, following - begin), high]

    def _list_other_sizes(self, node: Node) -> Sequence[int] | None:
        """As much as fits of what makes the log end where it is seen to end next.

        Nobody can tell how many messages these are: they are taken to be as large as they may be.
        """
        guide, put = self.guide, self.guide.find_following(node)
        if put is not None and put.process != node.notes.process:
            put = None
        seen = find_next(guide.plan.end_observations, guide.now_ms - GRAIN_MS)
        end, sizes = guide.get_max(node, MASTER), "parameters"
        flushed = find_now_or_next(guide.plan.flush_observations, guide.now_ms)
        is_ahead = flushed is not None and flushed > end
        ends = [seen, None if put is None else put.start_offset, flushed if is_ahead else None]
        target = min((each for each in ends if each is not None), default=None)
        if target is None:
            return None
        file_size = guide.get(node, f"{sizes}.mapped_file_size_bytes")
        blank = guide.get(node, f"{sizes}.end_file_min_blank_bytes")
        room = file_size - end % file_size - blank
        size = min(target - end, room, guide.get(node, f"{sizes}.message_size_max_bytes"))
        return [size] if size > 0 else []

    def _list_recovered(self, broker: int) -> list[int]:
        """The end with which a broker's next process is seen to start."""
        plan = self.guide.plan
        of_slave = plan.links[broker].slave_observations if broker != MASTER else None
        following = find_next(of_slave or plan.start_observations, self.guide.now_ms)
        return [] if following is None else [following]

    def _list_wanted(
        self, node: Node, action: Action, bounds: tuple[int, int], goals: Sequence[Goal]
    ) -> Iterator[int]:
        """What goals want; what makes the log end where it is shown to; the range's ends."""
        low, high = bounds
        yield from list_wanted(self.guide.machine, node, action, low, goals)
        following, is_append = self.guide.find_following(node), action.instance == OTHERS
        if is_append and following is not None:
            yield following.start_offset - self.guide.get_max(node, MASTER)
        if is_append:
            sent = self.guide.last_sent_offset - self.guide.get_max(node, MASTER)
            yield from [sent] * (low <= sent <= high)
        yield high
        yield low
