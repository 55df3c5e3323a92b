"""What each kind of event shows beside values of the state."""
