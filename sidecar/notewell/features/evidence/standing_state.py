"""Files of the questions that wait: the questions with their answers, and the known sentences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from notewell.api.errors import WriteError
from notewell.api.files import StateFile, disk
from notewell.api.types import frozen
from notewell.features.evidence.standing_requests import StandingQuestion, ToldAnswer

NAME, KNOWN_NAME = "questions.json", "questions.known"
_BUSY_SECONDS = 30.0


@frozen
class StandingState:
    """The questions, the newest first, and up to which generation of which index was looked."""

    questions: tuple[StandingQuestion, ...] = ()
    index: str = ""
    generation: int = -1

    def with_question(self, question: StandingQuestion) -> StandingState:
        """The state with a question in place of the one with its id."""
        changed = (question if other.id == question.id else other for other in self.questions)
        return replace(self, questions=tuple(changed))


class StandingFile(StateFile[StandingState]):
    """The questions of one vault, in its data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / NAME, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> StandingState:
        return StandingState()

    def decode(self, raw: bytes) -> StandingState:
        try:
            stored = json.loads(raw)
            questions = tuple(map(_read_question, stored["questions"]))
            return StandingState(questions, str(stored["index"]), int(stored["generation"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"it is no list of questions ({error!r})") from error

    def encode(self, state: StandingState) -> bytes:
        return json.dumps(asdict(state), ensure_ascii=False, indent=1).encode("utf-8", "replace")

    def unusable(self, error: Exception) -> WriteError:
        return WriteError(
            f"{self.file} with the questions that wait cannot be used: {error}. Restore it from a"
            " backup, or delete it to begin anew."
        )


def _read_question(stored: Mapping[str, Any]) -> StandingQuestion:
    answers = tuple(ToldAnswer(**answer) for answer in stored["answers"])
    return StandingQuestion(**{**stored, "answers": answers})


class KnownSentences:
    """The sentences that were in the notes before, as hashes of 8 bytes in a file that grows.

    What is in it is never told. A hash cut off by a power cut is skipped: the worst is that one
    sentence counts as new once more, and the state says which were told.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / KNOWN_NAME

    def exists(self) -> bool:
        return self._file.exists()

    def load(self) -> set[int]:
        """All hashes. Raises OSError."""
        try:
            raw = self._file.read_bytes()
        except FileNotFoundError:
            return set()
        return set(np.frombuffer(raw[: len(raw) // 8 * 8], np.uint64).tolist())

    def begin(self, hashes: Iterable[int]) -> None:
        """Make the file, whole or not at all. Raises OSError."""
        disk.replace(self._file, _as_bytes(hashes), durable=True)

    def add(self, hashes: Iterable[int]) -> None:
        """Append hashes to the file. Raises OSError."""
        with self._file.open("ab") as file:
            if rest := file.tell() % 8:
                file.truncate(file.tell() - rest)
            file.write(_as_bytes(hashes))

    def forget(self) -> None:
        self._file.unlink(missing_ok=True)


def _as_bytes(hashes: Iterable[int]) -> bytes:
    return np.array(sorted(hashes), np.uint64).tobytes()


def hash_of_sentence(text: str) -> int:
    """The number that stands for a sentence, whatever its case, spaces and marks."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split()
    digest = hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
