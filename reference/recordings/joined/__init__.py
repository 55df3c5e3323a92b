"""Recordings of whole brokers, explained in the joined system: a log, its queue, and who reads it.

`observers` say what an event asks of a state, `search` finds the hidden steps that lead to such a
state, by the joined system's own rules, and `explain` goes from event to event.
"""
