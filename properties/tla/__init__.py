"""The model as a TLA+ module, in the words of the reference."""
