"""Z3: translation, induction, bounded search, triage, vacuity, cores and obligations."""
