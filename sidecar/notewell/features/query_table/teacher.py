"""The model as a teacher of tables: its tokens, and its vectors of texts, within a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from notewell.api.types import FloatArray
from notewell.base.types import TeachesQueries
from notewell.models.query_table import WORDPIECE, TokenVocabulary

_AT_ONCE = 64


class Teacher:
    """A model of which tables can learn, with the processor time that it may still take."""

    def __init__(
        self,
        model: TeachesQueries,
        vocabulary: TokenVocabulary,
        *,
        seconds: float,
        check: Callable[[], None],
    ) -> None:
        """`check` is called between steps of some milliseconds, and may pause or raise."""
        self.vocabulary = vocabulary
        self.check = check
        self._embed = model.embed_queries
        self._left = seconds
        self._tokenizer = vocabulary.tokenizer()

    @classmethod
    def of(cls, model: object, *, seconds: float, check: Callable[[], None]) -> Teacher | None:
        """None: a model of a service, or one that cuts texts in another way."""
        if not isinstance(model, TeachesQueries):
            return None
        document = model.tokenizer_document()
        vocabulary = None if document is None else TokenVocabulary.of(document)
        if vocabulary is None:
            return None
        return cls(model, vocabulary, seconds=seconds, check=check)

    def keep_tokens_of(self, texts: Sequence[str]) -> None:
        """Leave the tokens that get a row: all of WordPiece's, else those of the texts.

        Rows of a quarter of a million tokens would take gigabytes while they are fitted.
        """
        if self.vocabulary.kind == WORDPIECE:
            return
        places = sorted({token for text in self.tokens(texts) for token in text})
        self.vocabulary = self.vocabulary.only([self.vocabulary.tokens[at] for at in places])
        self._tokenizer = self.vocabulary.tokenizer()

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The places of the tokens of each text in the vocabulary; others are left out."""
        size = self.vocabulary.size
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[token for token in text.ids if token < size] for text in encoded]

    def alone(self, spared_s: float) -> FloatArray:
        """The model's vectors (tokens, dimensions) of single tokens; 0 where time was short."""
        texts = [
            token.removeprefix("##").replace("\u2581", "") or token
            for token in self.vocabulary.tokens
        ]
        known = self.vectors(texts, spared_s)
        vectors = np.zeros((len(texts), known.shape[1]), np.float32)
        vectors[: len(known)] = known
        return vectors

    def vectors(self, texts: Sequence[str], spared_s: float = 0.0) -> FloatArray:
        """The model's vectors of the first texts: of all, if there is time enough.

        `spared_s` of the processor time is left for others.
        """
        batches: list[FloatArray] = []
        for start in range(0, len(texts), _AT_ONCE):
            self.check()
            if self._left <= spared_s and batches:
                break
            began = time.process_time()
            batches.append(self._embed(texts[start : start + _AT_ONCE]))
            self._left -= time.process_time() - began
        return np.concatenate(batches) if batches else np.empty((0, 0), np.float32)
