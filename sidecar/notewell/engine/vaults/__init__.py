"""The vaults known on this machine, and their open engines."""
