"""The language of queries: conditions, dates, words and their spelling."""
