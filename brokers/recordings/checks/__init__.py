"""What events show that no step asks for, held against the state and what was shown before."""
