"""The claims about a consumer's reading and progress, and their lemmas."""
