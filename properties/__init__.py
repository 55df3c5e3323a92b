"""What the protocol promises, what it needs to keep it, and how that is decided.

- ``property``, ``world``, ``worlds``: what is claimed, and what the proofs of that need; each world
  ends in one object. ``fault_model``: which faults may strike; ``healing``: what goes on without.
- ``z3``: how it is proved or refuted. ``exports``: the same terms for other tools.
- ``verdicts``: certificates, and what they say. ``comparison``: what a variant or release changes.
- ``schedules``: followed, judged, shortened. ``walks``: random ones, and those of Hypothesis.
- ``scenarios``: known issues, procedures, predictions, and where consumers read.
- ``mutants``, ``judges``, ``restrictions``: checks of the model, and of what judges.
- ``generated_text``: tables and counts as text.
"""
