"""The contract: every request and reply, one file per topic, and their JSON encoding.

Frozen records, one field per JSON field, in the order of the JSON. Times are ISO 8601 strings with
a zone. A change here shows in OpenAPI, on the command line, to assistants and in TypeScript.
"""

# Fields that are left out of the JSON where they are None; other fields are null then.
OMITTED_WHEN_NONE = ("explain", "query_id", "nearest", "former_titles", "backup")
