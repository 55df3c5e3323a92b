"""A simulated master with its slaves, and a recorder that distorts as a real one does.

It tests the checkers, not the truth: it moves by steps of the rules alone, so whatever it records
can have happened, and a checker that refuses it is wrong. Its clocks are its own (``timing``).

``kernel`` takes steps and keeps time, ``ledger`` knows which records lie where; ``brokers``,
``puts``, ``group_transfer``, ``master_ha``, ``client`` and ``proxy`` are the activities of a group,
``operator`` is who kills and stalls, ``recorder`` writes, ``scenarios`` says how much of what, and
``group`` puts them together. On the command line::

    python -m tests.reference.recordings.simulation --seed 7 --events 500 --scenario kills
"""
