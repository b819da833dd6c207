"""Memories: Markdown notes in a folder that the user chose, whose trust is earned by use."""
