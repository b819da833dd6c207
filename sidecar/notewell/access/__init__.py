"""Who may ask a server: the token that stays, and those of single devices."""
