"""Links that open a note in Obsidian."""

from __future__ import annotations

from urllib.parse import quote


def obsidian_uri(vault: str, path: str, *, block: str | None = None) -> str:
    """`obsidian://open` for the note at `path` of the vault folder named `vault`, at a `block`.

    Obsidian wants every reserved character percent-encoded, `/` included, and finds a Markdown
    note without its ending.
    """
    file = path.removesuffix(".md") + (f"#^{block}" if block is not None else "")
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(file, safe='')}"
