"""Backends of a vault: its running server, or an engine in this process."""
