"""The claims about copied tables, and their lemmas."""
