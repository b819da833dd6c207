"""Starts Notewell for the assistant that opened this bundle, with what a person chose there."""

import sys

from notewell.doors.cli import main

vault, allow_write = ([*sys.argv[1:], "", ""])[:2]
arguments = ["mcp"]
if vault and not vault.startswith("${"):  # left empty: all known vaults
    arguments += ["--vault", vault]
if allow_write == "true":
    arguments.append("--allow-write")
sys.argv[1:] = arguments
main()
