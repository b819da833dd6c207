"""Text to token ids, and fast exact token counts.

The `tokenizers` library is used one text at a time: only its batch calls start a thread pool of
their own, which would compete with ours and complain in forked processes.
"""

from __future__ import annotations

from pathlib import Path

from tokenizers import Encoding, Tokenizer

from notewell.errors import ModelDamagedError
from notewell.types import CountTokens

# Beyond this a text cannot matter: models see at most `max_tokens`, and prose has 4 to 5
# characters a token. It bounds the work for a text of many megabytes.
_CHARACTERS_PER_TOKEN = 64

# Python splits at these, the BERT normaliser deletes them: they do not separate words there.
_DELETED_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_DELETE = dict.fromkeys(map(ord, _DELETED_SPACES))

_MEMO_CHARACTERS = 1_000_000  # of words remembered; about 25 MB of memory


class TextTokenizer:
    """A model's own tokenizer, cut at the model's limit. Safe to call from several threads."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        """Take over `tokenizer`; its own padding and truncation are switched off."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._max_characters = max_tokens * _CHARACTERS_PER_TOKEN
        self.count: CountTokens = (
            WordCounter(self._count_whole) if _is_wordpiece(tokenizer) else self._count_whole
        )

    @classmethod
    def from_file(cls, path: Path, max_tokens: int) -> TextTokenizer:
        """Load a tokenizer.json; raises ModelDamagedError when it does not read."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ModelDamagedError(
                f"{path} is not a tokenizer ({error}). Fetch the model again."
            ) from error
        return cls(tokenizer, max_tokens)

    def ids(self, text: str) -> list[int]:
        """Token ids with the special tokens around them, at most `max_tokens`."""
        ids = self._encode(text[: self._max_characters], special=True)
        if len(ids) > self._max_tokens:
            ids = [*ids[: self._max_tokens - 1], ids[-1]]  # the closing special token stays
        return ids

    def pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Token ids of two texts as one, and to which each belongs (0 or 1).

        At most `max_tokens`: the end of the second text is cut, after half of them the first's.
        """
        first = first[: self._max_characters // 4]
        encoding = self._tokenizer.encode(first, second[: self._max_characters])
        ids, segments = list(encoding.ids), list(encoding.type_ids)
        if len(ids) <= self._max_tokens:
            return ids, segments
        head = segments.index(1) if 1 in segments else len(segments)
        if head > self._max_tokens // 2:
            cut = self._max_tokens // 2
            ids = [*ids[: cut - 1], ids[head - 1], *ids[head:]]
            segments = [*segments[: cut - 1], segments[head - 1], *segments[head:]]
        last = self._max_tokens - 1
        return [*ids[:last], encoding.ids[-1]], [*segments[:last], encoding.type_ids[-1]]

    def places(self, text: str) -> tuple[list[int], list[int]]:
        """Token ids and where each starts in `text`; special tokens left out, same limit."""
        encoding = self._encoded(text[: self._max_characters], special=False)
        starts = [start for start, _ in encoding.offsets]
        return encoding.ids[: self._max_tokens], starts[: self._max_tokens]

    def _count_whole(self, text: str) -> int:
        return len(self._encode(text, special=False))

    def _encode(self, text: str, *, special: bool) -> list[int]:
        return list(self._encoded(text, special=special).ids)

    def _encoded(self, text: str, *, special: bool) -> Encoding:
        try:
            return self._tokenizer.encode(text, add_special_tokens=special)
        except TypeError:  # lone surrogates are not text to Rust
            readable = text.encode("utf-8", "replace").decode("utf-8")
            return self._tokenizer.encode(readable, add_special_tokens=special)


def _is_wordpiece(tokenizer: Tokenizer) -> bool:
    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    return [type(part).__name__ for part in parts] == [
        "BertNormalizer",
        "BertPreTokenizer",
        "WordPiece",
    ]


class WordCounter:
    """Counts WordPiece tokens by adding up remembered counts of words.

    Exact, because nothing in that pipeline sees across white space: the normaliser works on
    single characters (a combining mark never joins the far side of a space), the pre-tokenizer
    splits at white space first, and the model cuts each word for itself. Special tokens written
    in a text hold no white space either.
    """

    def __init__(self, count_whole: CountTokens) -> None:
        """`count_whole` counts the tokens of any text, slowly."""
        self._count_whole = count_whole
        self._memo: dict[str, int] = {}
        self._characters = 0

    def __call__(self, text: str) -> int:
        """Tokens of `text`, special tokens not counted."""
        if any(space in text for space in _DELETED_SPACES):
            text = text.translate(_DELETE)
        words = text.split()
        memo = self._memo  # a thread that replaces the memo leaves us ours
        try:
            return sum(map(memo.__getitem__, words))
        except KeyError:
            self._learn(memo, words)
            return sum(map(memo.__getitem__, words))

    def _learn(self, memo: dict[str, int], words: list[str]) -> None:
        if self._characters > _MEMO_CHARACTERS:
            self._memo = {}
            self._characters = 0
        for word in set(words).difference(memo):
            memo[word] = self._count_whole(word)
            self._characters += len(word)
