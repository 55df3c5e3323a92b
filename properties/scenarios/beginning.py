"""Where consumer groups begin that nothing is known of, in words; no engine is imported."""

ASSUMED = "consumer groups are taken to begin at the last offset, the default"
"""What is assumed unless a question says otherwise: no broker's file says where groups begin."""

OPEN_FROM_LAST = f"{ASSUMED}; proved for those with CONSUME_FROM_FIRST_OFFSET"
"""Why a verdict is undecided for them."""
