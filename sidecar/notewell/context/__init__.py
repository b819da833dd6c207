"""Context for a language model: text from the notes on a question, within a budget of tokens."""
