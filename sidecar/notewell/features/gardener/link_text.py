"""The text of a link to a note, as other links of the vault are written."""

from __future__ import annotations

from urllib.parse import quote

from notewell.features.gardener.garden import Garden
from notewell.vault.readers import link_name

_UNLINKABLE = frozenset("[]|#^\n")  # they end or divide a wikilink


def link_target(garden: Garden, source: str, target: str) -> str:
    """The shortest text that means the note `target` in a link of the note `source`."""
    name = garden.notes[target].name
    if garden.names.resolve(name, source) == target:
        return name
    return link_name(target)


def link_to(garden: Garden, source: str, target: str, shown: str, *, in_table: bool) -> str | None:
    """A link from `source` to `target` that reads `shown`, in the vault's way of writing links.

    None where the text or the name cannot be written in a link.
    """
    if _UNLINKABLE & set(shown):
        return None
    if garden.markdown_links:
        return f"[{shown}]({quote(target, safe='/')})"
    written = link_target(garden, source, target)
    if _UNLINKABLE & set(written):
        return None
    if garden.names.resolve(shown, source) == target:
        return f"[[{shown}]]"
    return f"[[{written}{chr(92) if in_table else ''}|{shown}]]"


def property_link(garden: Garden, source: str, target: str) -> str:
    """A link in a property, which Obsidian reads as a wikilink alone."""
    return f"[[{link_target(garden, source, target)}]]"
