"""Which vaults this machine knows, and which engines are open."""
