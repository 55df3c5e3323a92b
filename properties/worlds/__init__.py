"""The worlds: claims about each, lemmas for their proofs, and the catalogue of all structures."""
