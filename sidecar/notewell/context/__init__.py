"""Context for a language model: what the vault has on a question, within a budget of tokens."""
