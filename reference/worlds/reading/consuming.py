"""The consumer hands messages to the application; progress follows as they finish (R-CC-11).

Messages are handed over and finished in any order, as by the thread pool of a concurrent consumer;
an orderly consumer's order is one of them.
"""

from __future__ import annotations

from attrs import evolve

from reference.decisions.clients.reactions import move_on
from reference.language.operators import choose, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.reading.state import NO_OFFSET, Consumer, Reading


def is_lost(state: Reading) -> bool:
    """The master has lost the followed message, which no retention has deleted."""
    message = state.message
    return negate(message.is_on_master) & (state.master.first_kept <= message.offset)


def has_cached(state: Reading) -> bool:
    """The consumer runs and has unfinished messages."""
    return state.consumer.is_running & (state.consumer.cache_first >= 0)


def is_other_behind_first(state: Reading) -> bool:
    """There may be an unfinished message other than the first and the followed one."""
    consumer, message = state.consumer, state.message
    is_behind = message.is_cached & (consumer.cache_first < message.cached_offset)
    is_there = consumer.cache_first + choose(is_behind, 2, 1) < consumer.cache_end
    return is_there & (not state.structure.is_orderly)


def compute_first_left_max(state: Reading) -> int:
    """The latest possible first unfinished message: the followed one, or none."""
    message = state.message
    return choose(message.is_cached, message.cached_offset, state.consumer.cache_end)


def count_done(consumer: Consumer, first_left: int) -> Consumer:
    """The consumer with ``first_left`` as its first unfinished message (#removeMessage).

    The end of the cache means none.
    """
    is_empty = first_left == consumer.cache_end
    return evolve(
        consumer,
        cache_first=choose(is_empty, NO_OFFSET, first_left),
        progress=move_on(consumer.progress, first_left),
    )


@rule(
    who="consumer",
    source="ConsumeMessageConcurrentlyService.ConsumeRequest#run",
    lane="consumer",
    says="is handed the message",
)
def hand_over(state: Reading) -> RuleBody:
    """The consumer hands the followed message to the application."""
    message = state.message
    is_first = message.cached_offset == state.consumer.cache_first
    # ENABLED WHEN
    yield when(
        is_running=state.consumer.is_running,
        is_waiting=message.is_cached & negate(message.is_consuming),
        is_its_turn=is_first | (not state.structure.is_orderly),
    )
    # EFFECT
    handed = evolve(
        message,
        is_consuming=True,
        ghost_was_handed=True,
        ghost_was_handed_twice=message.ghost_was_handed_twice | message.ghost_was_handed,
        ghost_was_in_vain=message.ghost_was_in_vain | is_lost(state),
    )
    return evolve(state, message=handed)


@rule(
    who="consumer",
    source="ConsumeMessageConcurrentlyService#processConsumeResult, ProcessQueue#removeMessage",
    lane="consumer",
    says="finishes the message",
)
def finish_message(state: Reading) -> RuleBody:
    """The application has finished the followed message, and it leaves the cache."""
    consumer, message = state.consumer, state.message
    is_first = message.cached_offset == consumer.cache_first
    # ENABLED WHEN
    yield when(is_running=consumer.is_running, is_consuming=message.is_consuming)
    first_left = yield between(
        "first_left",
        choose(is_first, message.cached_offset + 1, consumer.cache_first),
        choose(is_first, consumer.cache_end, consumer.cache_first),
    )
    # EFFECT
    done = evolve(message, is_cached=False, is_consuming=False, ghost_is_done=True)
    return evolve(state, message=done, consumer=count_done(consumer, first_left))


@rule(
    who="consumer",
    source="ConsumeMessageConcurrentlyService#processConsumeResult, ProcessQueue#removeMessage",
    lane="consumer",
    says="finishes others, {first_left} is next",
)
def finish_first(state: Reading) -> RuleBody:
    """The application has finished other messages, including the first unfinished one."""
    consumer = state.consumer
    # ENABLED WHEN
    yield when(has_cached=has_cached(state))
    first_left = yield between(
        "first_left", consumer.cache_first + 1, compute_first_left_max(state)
    )
    # EFFECT
    return evolve(state, consumer=count_done(consumer, first_left))


@rule(
    who="consumer",
    source="ConsumeMessageConcurrentlyService#processConsumeResult, ProcessQueue#removeMessage",
    lane="consumer",
    says="finishes one after the first",
)
def finish_later(state: Reading) -> RuleBody:
    """The application has finished another message after the first unfinished one."""
    consumer = state.consumer
    # ENABLED WHEN
    yield when(has_cached=has_cached(state), is_other_behind_first=is_other_behind_first(state))
    # EFFECT
    return evolve(state, consumer=count_done(consumer, consumer.cache_first))
