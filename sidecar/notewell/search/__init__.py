"""The read path: from the text of a query to ranked notes with their best passages.

`pipeline.search` and `similar.similar` are the entry points; the other modules are their stages.
"""
