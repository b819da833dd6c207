"""The Obsidian plugin, which this package carries built, and its place in a vault."""
