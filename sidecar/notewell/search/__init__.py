"""The read path: from the text of a query to ranked notes with their best passages.

`run.search` and `show.similar.similar` are the entry points. `query/` reads the query, `rank/`
finds and orders notes, `show/` makes the results.
"""
