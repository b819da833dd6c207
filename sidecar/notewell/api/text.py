"""Words, queries and sentences as the index reads them."""

from notewell.index.analyze import stem, words
from notewell.search.query.find_note import find_note
from notewell.search.query.parser import parse
from notewell.search.query.terms import function_words
from notewell.search.show.closest_sentence import sentences_of

__all__ = ["find_note", "function_words", "parse", "sentences_of", "stem", "words"]
