"""How a broker answers producers."""
