"""Recordings of whole brokers, explained in the joined system: a log, its queue, and who reads it.

`observers` say what an event asks of a state, `guide` which hidden steps of the joined system's own
rules may lead to such a state; `hidden` searches for them, from event to event.
"""
