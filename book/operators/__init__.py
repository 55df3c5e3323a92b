"""What the page for those who run brokers rests on: choices, answers, and procedures tried out."""
