"""The query table: vectors of tokens by which queries are answered without the model."""

from notewell.engine.feature import Feature

QUERY_TABLE = Feature(
    name="query_table",
    answers="notewell.features.query_table.service:open_feature",
    starts=True,
    files=("query-table.bin",),
    query_table="notewell.models.query_table_file:current",
)
