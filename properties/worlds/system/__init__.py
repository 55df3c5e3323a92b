"""The claims about the whole system, from put to consumption."""
