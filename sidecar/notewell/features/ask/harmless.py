"""Makes a language model's answer harmless, once, before it is streamed, drawn, printed or saved.

A note can talk a model into writing anything: pictures of another server whose address holds the
text of notes, HTML, code that a plugin runs. `harmless_line.py` has the rules for a line; here is
what concerns several: fenced code, and text that arrives in pieces.
"""

from __future__ import annotations

import re

from notewell.features.ask.harmless_line import (
    IsCited,
    harmless_code,
    harmless_fenced,
    harmless_text,
    has_unsure_code,
)

# Languages that are only coloured. Others can run (`dataviewjs`, `query`, `base`) or load
# addresses (`mermaid`).
_NAMES = (
    "ada asm awk bash bat batch c clojure cmake cmd cobol console cpp c++ crystal cs csharp "
    "c# css csv d dart delphi diff dockerfile docker elixir elm erlang f# fish fortran "
    "fsharp go golang gradle graphql groovy haskell hcl hs html http ini java javascript js "
    "json json5 jsonc jsx julia kotlin kt latex less lisp log lua makefile markdown matlab "
    "md nasm nginx nim nix objc objectivec ocaml pascal patch perl php plain plaintext "
    "powershell prolog properties proto protobuf ps1 py python r rb regex rs ruby rust sass "
    "scala scheme scss sed sh shell solidity sql swift tcl terraform tex text toml ts tsx "
    "txt typescript vb vba verilog vhdl vim vue wasm xml yaml yml zig zsh "
)
_COLOURED = frozenset(_NAMES.split())
_FENCE = re.compile(
    r"(?P<before>[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)*[ \t>]*)(?P<marks>`{3,}|~{3,})(?P<info>.*)"
)
# The part of a line that no rule changes, whatever follows; the last character is looked at with
# what comes next, so it is not among them.
_PLAIN = re.compile(
    r"(?:[^<!\[\]`\\%\n](?=[^\n])|<(?=[^A-Za-z/!?%\n])|!(?=[^\[\n])|%(?=[^%\n])"
    r"|\[\d{1,3}\](?=[^(:\[\n]))*"
)
_LETTER = re.compile(r"[^\W\d_]")


def harmless(text: str, is_cited: IsCited = lambda _: False) -> str:
    """The Markdown of a whole answer without what loads, runs or hides anything.

    `is_cited` tells whether a note may be embedded, by its name or path as embeds write it. What is
    harmless already stays as it is.
    """
    stream = HarmlessStream(is_cited)
    return stream.feed(text) + stream.end()


class HarmlessStream:
    """The same for text that arrives in pieces: of each, what no later piece can change."""

    def __init__(self, is_cited: IsCited = lambda _: False) -> None:
        self._is_cited = is_cited
        self._waiting = ""  # the line that has not ended
        self._sent = 0  # characters of it that were given already
        self._is_first = True  # no line that has text yet
        self._fence = ""  # the marks of the fenced code that we are in
        self._is_nested = False  # that code is inside a list or a quotation
        self._doubt = False  # Obsidian may read what follows in another way, to the next paragraph
        self._lasting_doubt = False  # … to the end

    def feed(self, piece: str) -> str:
        """Take a piece of the text; return what is certain now."""
        whole = (self._waiting + piece).replace("\r\n", "\n")
        kept = "\r" if whole.endswith("\r") else ""  # it may be the first half of a line's end
        *lines, last = whole.removesuffix(kept).replace("\r", "\n").split("\n")
        given = [self._rest(line) + "\n" for line in lines]
        self._waiting = last + kept
        return "".join(given) + self._beginning(last)

    def end(self) -> str:
        """The rest, at the end of the text. Code that was left open is closed."""
        line = self._waiting.removesuffix("\r")
        rest = self._rest(line) if line else ""
        self._waiting = ""
        if self._fence and not self._is_nested:
            rest += ("\n" if line else "") + self._fence
        self._fence = ""
        return rest

    def _beginning(self, line: str) -> str:
        """Return the part of a line that has not ended which nothing later changes."""
        if self._fence or _FENCE.match(line) or line.startswith("---"):
            return ""
        plain = _PLAIN.match(line)
        end = plain.end() if plain else 0
        if end <= self._sent or _LETTER.search(line, 0, end) is None:
            return ""
        new = line[self._sent : end]
        self._sent = end
        return new

    def _rest(self, line: str) -> str:
        """A line that has ended, without what was given of it."""
        sent, self._sent = self._sent, 0
        return self._harmless(line)[sent:]

    def _harmless(self, line: str) -> str:
        fence = _FENCE.fullmatch(line)
        if self._fence:
            return self._in_fence(line, fence)
        if fence is not None and not (fence["marks"][0] == "`" and "`" in fence["info"]):
            return self._open_fence(fence)
        if not line.strip():
            self._doubt = False
            return line
        if self._is_first and line.startswith("---"):
            line = "\\" + line  # else what follows would be properties
        self._is_first = False
        self._lasting_doubt = self._lasting_doubt or "$$" in line
        self._doubt = self._doubt or has_unsure_code(line)
        return harmless_text(line, self._is_cited, sure=not (self._doubt or self._lasting_doubt))

    def _open_fence(self, fence: re.Match[str]) -> str:
        self._is_first = False
        self._fence = fence["marks"]
        # In a list or a quotation, or after mathematics, readers disagree where code ends.
        self._is_nested = bool(fence["before"]) or self._lasting_doubt
        self._lasting_doubt = self._is_nested
        words = fence["info"].strip().lower().split()
        language = words[0] if words and words[0] in _COLOURED else ""
        return fence["before"] + fence["marks"] + language

    def _in_fence(self, line: str, fence: re.Match[str] | None) -> str:
        closes = (
            fence is not None
            and fence["marks"].startswith(self._fence)
            and not fence["info"].strip()
            and (self._is_nested or fence["before"] in {"", " ", "  ", "   "})
        )
        if closes and fence is not None:
            self._fence = ""
            return fence["before"] + fence["marks"]
        if not self._is_nested:
            return harmless_fenced(line)
        return _without_language(line, fence)


def _without_language(line: str, fence: re.Match[str] | None) -> str:
    """A line of code that may be text: one that may begin code names no language."""
    if fence is not None and fence["info"].strip():
        return fence["before"] + fence["marks"]
    return harmless_code(line)
