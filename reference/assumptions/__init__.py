"""What the rules take for granted about settings and timers, and which groups meet it."""
