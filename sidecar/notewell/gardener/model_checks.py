"""What the gardener looks for with a language model, by name."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.contract.garden import GardenCheck

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
