"""The language of rules: terms, operators, rules, machines, variants and timelines."""
