"""Situations of a group that have a name: to be reached, to be recognised or to tell apart."""
