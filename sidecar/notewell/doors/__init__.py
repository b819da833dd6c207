"""Doors: the command line, HTTP, and assistants. They know no feature by name."""
