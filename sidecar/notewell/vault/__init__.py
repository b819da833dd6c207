"""The vault: finding its files, reading them, and making notes and chunks of them."""
