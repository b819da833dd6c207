"""Finds the files of a vault, reads them into notes and splits notes into chunks."""
