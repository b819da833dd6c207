"""The vault's door for assistants: the Model Context Protocol on stdio and over HTTP.

The tools are plain functions over `answers.Answers` (tool.py, table.py); server.py hands them to
the official SDK, which is only imported there and in the transports.
"""
