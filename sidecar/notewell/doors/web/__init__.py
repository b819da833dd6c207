"""The HTTP door: routes over the engines of the open vaults, for people, plugins and programs."""
