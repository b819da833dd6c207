"""The checks of the gardener: a file and a row each, and what a language model is asked for."""

from collections.abc import Callable, Iterable, Mapping

from notewell.api.types import frozen
from notewell.features.gardener.checks import (
    broken_links,
    conflict_copy,
    disagreements,
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
from notewell.features.gardener.garden import Garden
from notewell.features.gardener.requests import GardenCheck, SuggestionView


@frozen
class CheckRow:
    """A check: its name, what it finds, and whether it runs unless a person chooses.

    `find` looks at a whole vault and changes nothing. A check that was not measured to
    be right eight times in ten (docs/gardener.md) is not `usual`.
    """

    name: GardenCheck
    finds: str
    find: Callable[[Garden], Iterable[SuggestionView]]
    usual: bool = True


CHECKS: Mapping[GardenCheck, CheckRow] = {
    row.name: row
    for row in (
        CheckRow(
            broken_links.NAME,
            "links to notes that were moved, renamed or misspelled",
            broken_links.find,
        ),
        CheckRow(
            unlinked_mentions.NAME,
            "names of notes that a note says without a link",
            unlinked_mentions.find,
        ),
        CheckRow(
            near_duplicates.NAME,
            "notes that say nearly the same",
            near_duplicates.find,
        ),
        CheckRow(
            conflict_copy.NAME,
            "conflict copies that a synchroniser left beside a note",
            conflict_copy.find,
        ),
        CheckRow(
            disagreements.NAME,
            "statements of two notes that disagree, and notes that another replaces",
            disagreements.find,
        ),
        CheckRow(
            similar_topics.NAME,
            "topics that may be one",
            similar_topics.find,
            usual=False,
        ),
        CheckRow(missing_topics.NAME, "topics for notes without any", missing_topics.find),
        CheckRow(missing_tags.NAME, "tags that similar notes have", missing_tags.find, usual=False),
        CheckRow(tag_variants.NAME, "one tag in several spellings", tag_variants.find),
        CheckRow(
            orphans.NAME,
            "notes without links, and where to link them",
            orphans.find,
            usual=False,
        ),
        CheckRow(
            untitled.NAME,
            "titles for notes named Untitled or by a date",
            untitled.find,
            usual=False,
        ),
        CheckRow(
            missing_properties.NAME,
            "properties that the other notes of a folder have",
            missing_properties.find,
        ),
    )
}

UPDATE: GardenCheck = "update_topics"
DESCRIBE: GardenCheck = "missing_descriptions"
MERGE: GardenCheck = "merge_topics"
ARCHIVE: GardenCheck = "archive_topic"

MODEL_CHECKS: Mapping[GardenCheck, str] = {
    UPDATE: "topics that a language model found for notes",
    DESCRIBE: "descriptions that a language model wrote for notes without one",
    MERGE: "topics that a language model takes for one",
    ARCHIVE: "topics that a language model takes for obsolete",
}
