"""The embedded engine: SQLite for the truth, tantivy for keywords, numpy for vectors."""
