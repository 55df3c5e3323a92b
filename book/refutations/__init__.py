"""The counterexample pages: for each guarantee that falls, its shortest schedule, told in full."""
