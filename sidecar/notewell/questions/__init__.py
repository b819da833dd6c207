"""What is asked of a vault beyond a search, a record a question."""
