"""What the protocol guarantees, under which faults, and how that is decided.

- ``language``: properties, fault models, healing, and the worlds that they make up.
- ``worlds``: claims, and lemmas for their proofs; each world ends in one object.
- ``z3``: how claims are proved or refuted. ``exports``: the terms for other tools.
- ``vectors``: questions with answers, for other implementations.
- ``verdicts``: certificates and their contents. ``comparison``: what a variant or release changes.
- ``schedules``: followed, judged, shortened. ``walks``: random walks, and Hypothesis machines.
- ``scenarios``: known issues, procedures, predictions, and where consumers read.
- ``mutants``, ``judges``, ``restrictions``: checks of the model, and of its judges.
- ``generated_text``: tables and counts as text. ``checkout``: whether the program runs in a
  checkout, and what its hints name then.
"""
