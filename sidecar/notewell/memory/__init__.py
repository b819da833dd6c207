"""Memories of an assistant: Markdown notes in a folder that the user chose.

Each has a confidence, which rises when the memory helped and falls when it failed. `service`
answers all requests; `folder` reads and writes the notes.
"""
