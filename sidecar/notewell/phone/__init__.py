"""The phone index: one file in the vault by which the plugin knows meaning without a server."""
