"""Packs: the vectors of an index in a file, so that a slow machine need not compute them.

A pack is an uncompressed `.tar` of `vectors-00000.msgpack`, … and, last, `manifest.json`. Each
vector has the hash of the text it was computed from; a pack contains no text and no path. An
import checks the whole pack before it stores any vector, and never unpacks it to disk.
"""

from notewell.pack.transfer import PackReport, export_pack, import_pack

__all__ = ["PackReport", "export_pack", "import_pack"]
