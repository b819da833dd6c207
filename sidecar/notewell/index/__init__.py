"""The index of one vault: keywords, vectors, the link graph, and the database they come from."""
