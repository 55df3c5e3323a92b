"""What operators do by hand: steps, procedures tried in the reference, and what answers mean."""
