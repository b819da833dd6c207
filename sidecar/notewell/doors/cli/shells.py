"""How bash completes, beyond what click does for it; zsh and fish need nothing of this."""

from __future__ import annotations

from typing import Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

# Filters of a query whose values are completed.
FIELDS = frozenset(("tag", "path", "file", "type", "status"))


class Bash(BashComplete):
    """Bash with what its own script does not do.

    Bash splits words at colons, so `tag:gar` comes as three; and it puts what is completed into the
    line as it is, so blanks get a backslash, which `read` in the script would take out once.
    """

    _split = ""  # what bash took for a word of its own

    def get_completion_args(self) -> tuple[list[str], str]:
        """Join a filter with its value."""
        args, incomplete = super().get_completion_args()
        if incomplete == ":" and args:
            args, incomplete = [*args, ":"], ""
        if args[-1:] == [":"] and args[-2:-1] and args[-2].removeprefix("-") in FIELDS:
            self._split = f"{args[-2]}:"
            args, incomplete = args[:-2], f"{self._split}{incomplete}"
        return args, incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Without what bash has split off already, and with escaped blanks."""
        value = str(item.value).removeprefix(self._split).replace(" ", "\\\\ ")
        return f"{item.type},{value}"


add_completion_class(Bash)
