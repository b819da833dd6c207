"""Facts about all notes of a vault that searches need, kept in memory and brought up to date."""
