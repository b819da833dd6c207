"""Embedders and rerankers behind an API.

`table` lists services, their limits and models; `wire` and `rerank_wire` have the forms of requests
and replies; `service` sends them with retries, priorities and a circuit breaker; `embedder` and
`reranker` are what the rest of Notewell uses. Only `settings` reads the settings.
"""
