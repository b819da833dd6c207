"""Abstracts, annotations and notes of a Zotero library, found with the notes of a vault."""

from notewell.api import Feature
from notewell.api.types import Section, frozen


@frozen
class ZoteroRules:
    """The folder of a Zotero library, and the vaults that have it, by name or id.

    Without `library` nothing is read; without `vaults` all vaults have it.
    """

    library: str = ""
    vaults: tuple[str, ...] = ()


# No vault may set them: a vault from a stranger would read a library that is not its own.
SECTION = Section("zotero", ZoteroRules)

ZOTERO = Feature(
    name="zotero",
    answers="notewell_zotero.source:open_feature",
    provides={"files:zotero": "notewell_zotero.source:with_library"},
    settings="notewell_zotero:SECTION",
    events=("vault_opened",),
    api=1,
)
