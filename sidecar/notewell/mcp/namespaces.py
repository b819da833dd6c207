"""Namespaces: a vault, or a folder of one, as an assistant names what it works in.

`Home` is a vault, `Home/Projects/2026` a folder of it. Names of vaults have no slash.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from notewell.contract.status import LedgerRequest
from notewell.mcp.tool import BudgetAsked, Desk, Document, Tool, read

Namespace = Annotated[
    str, Field(description="Only notes of this vault, or folder of it: VAULT or VAULT/FOLDER")
]


class NamespacesAsked(BudgetAsked):
    """`namespaces`."""

    depth: int = Field(1, ge=1, le=10, description="How many levels of folders")


def vault_of(namespace: str) -> str:
    """The vault's name."""
    return namespace.partition("/")[0]


def folder_of(namespace: str | None) -> str:
    """The folder's path with a / behind it; empty where it is a whole vault."""
    folder = (namespace or "").partition("/")[2].strip("/")
    return f"{folder}/" if folder else ""


def namespaces(desk: Desk, asked: NamespacesAsked) -> Document:
    """The vaults, and the folders of one with how many notes each has in it."""
    ledger = read(desk.answers.document(LedgerRequest()))
    name = ledger["vault"]
    counts: Counter[str] = Counter()
    for one in ledger["entries"]:
        if one["state"] in {"indexed", "keyword_only"}:
            folders = one["path"].split("/")[:-1][: asked.depth]
            counts.update("/".join([name, *folders[:level]]) for level in range(len(folders) + 1))
    return {
        "vaults": [one.name for one in desk.vaults],
        "namespaces": [
            {"namespace": namespace, "notes": notes}
            for namespace, notes in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
    }


TOOLS = (
    Tool(
        "namespaces",
        "Namespaces",
        "What `namespace` of search may be: the vaults, and a vault's folders with their notes.",
        NamespacesAsked,
        namespaces,
        cut=("namespaces",),
    ),
)
