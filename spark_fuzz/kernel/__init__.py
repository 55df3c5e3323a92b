"""The kernel: lowering of rules, compiled walks, random choices, agreement with the reference."""
