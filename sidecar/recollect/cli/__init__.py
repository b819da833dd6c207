"""The command line, which wires everything."""

from recollect.cli.app import main

__all__ = ["main"]
