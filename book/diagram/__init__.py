"""Schedules as pictures: a strip per node, a line per step, arrows for what goes over the wire."""
