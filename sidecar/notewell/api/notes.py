"""Reading the Markdown of notes: properties, names, days, links."""

from notewell.vault.daily import DailyNotes, day_in_name
from notewell.vault.edit_properties import PropertyEdit, edit_properties
from notewell.vault.paths import DOCUMENTS, check_name, hides, is_document
from notewell.vault.properties import date_of, read_frontmatter
from notewell.vault.readers import link_name

__all__ = [
    "DOCUMENTS",
    "DailyNotes",
    "PropertyEdit",
    "check_name",
    "date_of",
    "day_in_name",
    "edit_properties",
    "hides",
    "is_document",
    "link_name",
    "read_frontmatter",
]
