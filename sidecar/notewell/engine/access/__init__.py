"""Who may send requests to a server: its own token, and the tokens of devices."""
