"""Answers with citations: a language model that a person chose, over tools on their notes."""
