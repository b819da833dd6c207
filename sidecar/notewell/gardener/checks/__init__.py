"""The checks of the gardener: a file and a row each."""

from collections.abc import Mapping

from notewell.contract.garden import GardenCheck
from notewell.gardener.checks import (
    broken_links,
    missing_properties,
    missing_tags,
    missing_topics,
    near_duplicates,
    orphans,
    similar_topics,
    tag_variants,
    unlinked_mentions,
    untitled,
)
from notewell.gardener.checks.check import Check

__all__ = ["CHECKS", "Check"]

CHECKS: Mapping[GardenCheck, Check] = {
    row.name: row
    for row in (
        Check(
            broken_links.NAME,
            "links to notes that were moved, renamed or misspelled",
            broken_links.find,
        ),
        Check(
            unlinked_mentions.NAME,
            "names of notes that a note says without a link",
            unlinked_mentions.find,
        ),
        Check(
            near_duplicates.NAME,
            "notes that say nearly the same",
            near_duplicates.find,
        ),
        Check(
            similar_topics.NAME,
            "topics that may be one",
            similar_topics.find,
            usual=False,
        ),
        Check(missing_topics.NAME, "topics for notes without any", missing_topics.find),
        Check(missing_tags.NAME, "tags that similar notes have", missing_tags.find, usual=False),
        Check(tag_variants.NAME, "one tag in several spellings", tag_variants.find),
        Check(
            orphans.NAME,
            "notes without links, and where to link them",
            orphans.find,
            usual=False,
        ),
        Check(
            untitled.NAME,
            "titles for notes named Untitled or by a date",
            untitled.find,
            usual=False,
        ),
        Check(
            missing_properties.NAME,
            "properties that the other notes of a folder have",
            missing_properties.find,
        ),
    )
}
