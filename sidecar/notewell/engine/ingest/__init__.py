"""The write path of one vault."""
