"""The claims about delayed delivery, and their lemmas."""
