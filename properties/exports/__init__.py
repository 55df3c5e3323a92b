"""Other readings of the same terms: TLA+, Promela, SMT-LIB, JavaScript, and traces of states."""
