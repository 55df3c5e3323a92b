"""Other readings of the same terms: TLA+, Promela, SMT-LIB, traces of states, test vectors."""
