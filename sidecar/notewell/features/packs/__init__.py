"""Packs: the vectors of an index in a file, so that a slow machine need not compute them.

A pack is an uncompressed `.tar` of `vectors-00000.msgpack`, … and, last, `manifest.json`. Each
vector has the hash of the text it was computed from; a pack contains no text and no path. An
import checks the whole pack before it stores any vector, and never unpacks it to disk. `points` is
another export, with texts and paths, for other databases.
"""

from notewell.api import Feature

PACKS = Feature(
    name="packs",
    commands={"system": {"pack": "notewell.features.packs.commands:pack"}},
)
