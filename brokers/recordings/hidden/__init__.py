"""Hidden steps found by search: an event asks for goals, and the rules' own instances meet them."""
