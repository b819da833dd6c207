"""Links that open a note in Obsidian."""

from __future__ import annotations

from urllib.parse import quote

from notewell.vault.readers import link_name, reader_of


def obsidian_uri(vault: str, path: str, anchor: str | None = None) -> str:
    """`obsidian://open` for the note at `path` of the vault folder named `vault`.

    `anchor` is a block's id. In files whose anchors are not blocks Obsidian opens the file alone.
    Obsidian wants every reserved character percent-encoded, `/` included, and finds a Markdown
    note without its ending.
    """
    reader = reader_of(path)
    block = anchor if reader is None or reader.anchor == "line" else None
    file = link_name(path) + (f"#^{block}" if block is not None else "")
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(file, safe='')}"
