"""The entry point `rmqspec`: reads arguments, calls the rooms, prints. No logic of its own.

- ``main`` has the verbs and turns failures into exit codes (``exit_codes``); each verb is the
  module of its name, for example ``check`` or ``docs``.
- What verbs share: ``name_options``, ``version_option``, ``new_files``, ``progress``, ``workers``.
- What they print: ``report``, ``cells``, ``world_report``, ``reading_report``.
- The book as a site: ``site``; the outputs that the README shows: ``readme``.
"""
