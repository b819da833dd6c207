"""The contract: what every route answers and every command prints as JSON, a file a topic."""
