"""Candidates of a search, what is known of them, and their order."""
