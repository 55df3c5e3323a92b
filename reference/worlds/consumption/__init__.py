"""A consumer's progress through one queue of a master/slave pair: a world of its own."""
