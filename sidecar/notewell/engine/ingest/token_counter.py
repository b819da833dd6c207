"""Counts tokens with the tokenizer of the vault's embedding model, without loading the model.

Language models have tokenizers of their own; this one is on every computer with semantic search,
and its counts for English prose and Markdown are close to theirs.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path

from notewell.base.errors import ModelError
from notewell.base.support.disk import expand_user
from notewell.base.types import CountTokens, ModelRules
from notewell.models.catalogue import TOKENIZER_FILE, find_model
from notewell.models.fetch import cache_folder
from notewell.models.tokens import TextTokenizer

ESTIMATE = "estimate"

# WordPiece counts a word above 100 characters (a data URI, a hash) as one unknown token, a language
# model as dozens. Such words are counted in pieces.
_LONG_WORD = re.compile(r"[^\W_]{100,}")
_PIECE_CHARS = 48


class TokenCounter:
    """The token counter of one model. Any thread may call; a model fetched later is then used."""

    def __init__(self, rules: ModelRules, model_dir: Path) -> None:
        """Nothing is read before the first count."""
        self._rules = rules
        self._file = _tokenizer_file(rules, model_dir)
        self._lock = threading.Lock()
        self._count: CountTokens | None = None

    @property
    def name(self) -> str:
        """The name of the model whose tokens are counted, or `ESTIMATE`."""
        return self._rules.name if self._counter() is not None else ESTIMATE

    def __call__(self, text: str) -> int:
        count = self._counter() or _estimate
        return count(_LONG_WORD.sub(_in_pieces, text))

    def _counter(self) -> CountTokens | None:
        if self._count is None and self._file is not None and self._file.is_file():
            with self._lock:
                if self._count is None:
                    self._count = _load(self._file)
        return self._count


def _tokenizer_file(rules: ModelRules, model_dir: Path) -> Path | None:
    if rules.folder:
        return expand_user(rules.folder) / TOKENIZER_FILE
    spec = find_model(rules.name)
    return cache_folder(spec, model_dir) / TOKENIZER_FILE if spec is not None else None


def _load(file: Path) -> CountTokens | None:
    try:
        return TextTokenizer.from_file(file, max_tokens=1).count
    except ModelError:
        return None  # loading the model reports what is wrong


def _estimate(text: str) -> int:
    from notewell.engine.ingest.note_reader import approximate_tokens  # noqa: PLC0415 - loads the index

    return approximate_tokens(text)


def _in_pieces(word: re.Match[str]) -> str:
    letters = word.group()
    return " ".join(letters[at : at + _PIECE_CHARS] for at in range(0, len(letters), _PIECE_CHARS))
