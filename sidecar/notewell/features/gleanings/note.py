"""The note that is made of a gleaning."""

from __future__ import annotations

from notewell.base.types import PropertyValue
from notewell.features.gleanings.collect import Gleaning
from notewell.features.gleanings.state import Mark
from notewell.features.gleanings.urls import domain
from notewell.features.gleanings.web import Checked
from notewell.vault.edit_properties import edit_properties

TYPE = "gleaning"


def note_path(folder: str, key: str) -> str:
    """Where the note of a gleaning is made."""
    folder = folder.strip("/")
    return f"{folder}/{key}.md" if folder else f"{key}.md"


def note_text(gleaning: Gleaning, mark: Mark, fetched: Checked | None) -> str:
    """The text of a new note: its properties, title, description, and what was fetched."""
    title = shown_title(gleaning, mark)
    description = gleaning.description or mark.description
    first = gleaning.seen[0]
    time = f"T{first.entry.time}" if first.entry.time and first.date else ""
    properties: dict[str, PropertyValue] = {
        "title": title,
        "url": gleaning.url,
        "date": first.date or None,
        "timestamp": f"{first.date}{time}" if first.date else None,
        "tags": (TYPE,),
        "type": TYPE,
        "status": mark.status,
        "migrated_from": first.path,
        "domain": domain(gleaning.url),
        "created": first.date or None,
        "source": sources(gleaning),
        "gleaning_id": gleaning.id,
        "description": " ".join(description.split()) or None,
        "reason": mark.reason or None,
    }
    parts = [f"# {title}", *([description] if description else []), *_fetched(fetched)]
    given = {name: value for name, value in properties.items() if value is not None}
    return edit_properties("\n\n".join(parts) + "\n", given)


def shown_title(gleaning: Gleaning, mark: Mark) -> str:
    """The title that a person wrote, else that of the page, else the host."""
    return mark.title if gleaning.bare and mark.title else gleaning.title


def sources(gleaning: Gleaning) -> PropertyValue:
    """The links to its daily notes: one, or a list."""
    links = tuple(f"[[{path.removesuffix('.md')}]]" for path in gleaning.days)
    return links[0] if len(links) == 1 else links


def _fetched(fetched: Checked | None) -> list[str]:
    if fetched is None or fetched.status is None:
        return []
    kind = f", {fetched.kind}" if fetched.kind else ""
    return [f"Fetched {fetched.at}: status {fetched.status}{kind}."]
