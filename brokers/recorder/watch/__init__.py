"""Alarms from the stream of a recording's lines, while it is made or when it is played back.

``alarms`` defines them, ``known`` follows the facts, ``ahead``, ``acknowledged``, ``stuck`` and
``late`` find them, ``watch`` raises and ends them, ``output`` and ``metrics`` tell them.
"""
