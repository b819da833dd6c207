"""Links that open a note in Obsidian."""

from __future__ import annotations

from urllib.parse import quote


def obsidian_uri(vault: str, path: str) -> str:
    """`obsidian://open` for the note at `path` of the vault folder named `vault`.

    Obsidian wants every reserved character percent-encoded, `/` included, and finds a Markdown
    note without its ending.
    """
    file = path.removesuffix(".md")
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(file, safe='')}"
