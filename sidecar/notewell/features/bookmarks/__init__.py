"""Bookmarks of Obsidian: the notes that a person marked there, for places where Obsidian is not."""

from notewell.api import Feature

BOOKMARKS = Feature(
    name="bookmarks",
    requests="notewell.features.bookmarks.requests:REQUESTS",
    answers="notewell.features.bookmarks.service:open_feature",
)
