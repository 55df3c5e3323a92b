"""The entry point `rmqspec`: reads arguments, calls the rooms, prints. No logic of its own.

- ``main`` has the verbs and turns failures into exit codes; each verb is the module of its name,
  for example ``check`` or ``docs``.
- ``options``: those that verbs share. ``answers``: what verbs print. ``output``: progress, workers,
  files, exit codes. ``benchmarks``: what ``bench`` measures.
"""
