"""The contract: what every route answers and every command prints as JSON, a file a topic.

Frozen records, one field per JSON field, in the order of the JSON. Times are ISO 8601 strings with
a zone.
"""

# Parts that are absent from the JSON when not asked for, where others would be null.
OMITTED_WHEN_NONE = ("explain", "query_id")
