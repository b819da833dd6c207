"""Types, settings, access, support and errors; loads nothing heavy."""
