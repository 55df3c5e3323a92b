"""The kernel: lowering of rules, compiled walks, dice, and agreement with the reference."""
