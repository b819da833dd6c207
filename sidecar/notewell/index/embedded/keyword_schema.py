"""The fields of the keyword index's documents."""

from __future__ import annotations

import tantivy

from notewell.index.lexical import PHRASE_FIELDS, STEMS

TEXT_FIELDS = (*PHRASE_FIELDS, STEMS)


def schema() -> tantivy.Schema:
    """The fields: numbers of the chunk and its note, the marker, texts, and their lengths."""
    builder = tantivy.SchemaBuilder()
    # Signed, because deletion by term supports no other numbers.
    builder.add_integer_field("chunk", indexed=True, fast=True)
    builder.add_integer_field("note", indexed=True, fast=True)
    builder.add_text_field("marker", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("state", stored=True, tokenizer_name="raw", index_option="basic")
    for name in PHRASE_FIELDS:
        builder.add_text_field(name, tokenizer_name="words", index_option="position")
    builder.add_text_field(STEMS, tokenizer_name="stems", index_option="freq")
    for name in TEXT_FIELDS:  # numbers of tokens, which mean_lengths.py adds up
        builder.add_integer_field(length_of(name), fast=True)
    return builder.build()


def length_of(name: str) -> str:
    """The number field with the length of a text field."""
    return f"length_{name}"


def whitespace() -> tantivy.TextAnalyzer:
    """An analyzer that splits text at whitespace."""
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
