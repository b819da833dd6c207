"""Embedders and rerankers behind an API.

`services` lists services with their limits and models; `client` sends their requests with retries,
priorities and a circuit breaker; `embedder` and `rerankers` are what the rest of Notewell uses.
"""
