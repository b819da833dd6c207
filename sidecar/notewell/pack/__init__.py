"""Packs: the vectors of an index as a file, so that a slow machine takes them from a fast one.

A pack is an uncompressed `.tar` of `vectors-00000.msgpack`, … and, last, `manifest.json`. A vector
stands under the hash of the text it was made of; no text and no path is in a pack. What comes in is
checked whole before anything of it is kept, and a pack is never unpacked to disk.
"""

from notewell.pack.transfer import PackReport, export_pack, import_pack

__all__ = ["PackReport", "export_pack", "import_pack"]
