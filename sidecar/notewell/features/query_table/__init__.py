"""The query table: vectors of tokens by which queries are answered without the model."""

from notewell.api import Feature

QUERY_TABLE = Feature(
    name="query_table",
    answers="notewell.features.query_table.service:open_feature",
    events=("vault_opened",),
    provides={"vectors:approximate": "notewell.features.query_table.passages:fit_passages"},
    files=("query-table.bin",),
)
