"""The chapter about variants: repairs of 4.4.0, and repairs of controller mode."""
