"""The story behind a code, or a claim under a fault model: what breaks, why, and what helps."""
