"""The counterexample pages: for each broken guarantee, its shortest schedule in full."""
