"""What a conformance test prints, part by part."""
