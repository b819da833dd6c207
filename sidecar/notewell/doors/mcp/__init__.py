"""A vault for assistants: the Model Context Protocol on stdio and over HTTP.

A tool is a function over a `client.backend.Backend` (`tool`), its request mostly made from a record
of the contract (`requests`). `server` hands the tools to the official SDK, which is imported only
there and in the transports.
"""
