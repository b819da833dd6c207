"""What clients may tell of a vault's files: changes, all the files there are, a guard's answer."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from notewell.types import Change, ChangeKind
from notewell.web.request_models import Asked, VaultAsked, note_path


def _place(path: str) -> str:
    """Bring a path into the index's form; a folder may end in /."""
    return note_path(path).removesuffix("/")


# Years 1 to 9999, which every file system's clock and every calendar holds.
Milliseconds = Annotated[
    int,
    Field(ge=-62_135_596_800_000, le=253_402_300_799_999, description="Since 1970, in ms"),
]
Place = Annotated[
    str,
    Field(min_length=1, description="Vault-relative path of a file or a folder"),
    AfterValidator(_place),
]


class ChangeAsked(Asked):
    """One of the `changes` of `POST /api/changes`."""

    kind: ChangeKind
    path: Place
    old_path: Place | None = Field(None, description="Where it was, of a rename")
    mtime: Milliseconds | None = None
    content: str | None = Field(None, description="The note, if and only if the vault is a mirror")

    @model_validator(mode="after")
    def _says_where_it_was(self) -> Self:
        if (self.kind == "rename") != (self.old_path is not None):
            raise ValueError("`old_path` belongs to a rename, and to nothing else")
        return self

    def change(self) -> Change:
        """Form the engine's record."""
        return Change(self.kind, self.path, self.old_path, self.mtime, self.content)


class ChangesAsked(VaultAsked):
    """`POST /api/changes`."""

    changes: list[ChangeAsked] = Field(
        description="In the order in which they happened", fail_fast=True
    )


# JSON has no tuples, so the array itself is taken leniently; what it holds is not.
FileListed = Annotated[tuple[str, Annotated[int, Field(ge=0)], Milliseconds], Field(strict=False)]


class SyncAsked(VaultAsked):
    """`POST /api/sync`."""

    # Paths are checked off the event loop: a vault has tens of thousands.
    files: list[FileListed] = Field(
        description="All files the client has: [path, bytes, mtime in ms]", fail_fast=True
    )


class GuardAsked(VaultAsked):
    """`POST /api/guard`."""

    remove: bool = Field(description="Whether the notes that are gone shall be removed")
