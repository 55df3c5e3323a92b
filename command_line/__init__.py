"""The entry point `rmqspec`: reads arguments, calls the rooms, prints. It has no logic of its own.

- ``main`` has the verbs and turns failures into exit codes. Each verb is the module of its name,
  for example ``check`` or ``docs``.
- ``options``: options that verbs share. ``answers``: the printed answers. ``output``: progress,
  workers, files, exit codes. ``benchmarks``: the measurements of ``bench``. ``conformance``: what
  an implementation answers.
"""
