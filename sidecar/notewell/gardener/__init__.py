"""The gardener: what a vault's topics are, and what could be tended."""
