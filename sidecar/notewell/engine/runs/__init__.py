"""The log of a vault's runs: what worked on it as a whole, when, and with what result."""

from notewell.engine.runs.log import NAME, RunLog, Started, delete

__all__ = ["NAME", "RunLog", "Started", "delete"]
