"""Settings: read from their layers, shown and changed."""
