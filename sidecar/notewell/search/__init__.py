"""The read path: from the text of a query to ranked notes with the passages that answer.

`pipeline.search` and `similar.similar` are the two ways in; everything else is a stage of theirs.
"""
