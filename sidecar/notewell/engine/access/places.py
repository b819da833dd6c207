"""Files and folders outside of vaults that a person allowed to be read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from notewell.base.errors import ForbiddenError, NotFoundError, OutsideVaultError, UsageError
from notewell.base.support.home import expanded

_NOT_ALLOWED = (
    "Only documents below a folder that a person allowed are read. Allow it on this computer with"
    " `notewell documents allow FOLDER`."
)


def allowed_place(word: str, allow: Sequence[str]) -> Path:
    """The real path of a file or folder, given in full, if a person allowed it.

    Whether it exists is only said of what is allowed.

    Raises:
        UsageError: the path is not absolute.
        ForbiddenError: it is below none of the folders `allow`.
        OutsideVaultError: it is, but a link leads out of them.
        NotFoundError: nothing is there.

    """
    given = expanded(word)
    if not given.is_absolute() or "\0" in word:
        raise UsageError("Give the whole path of a file or folder, from the root of the disk.")
    folders = [Path(os.path.realpath(expanded(one))) for one in allow]
    named, real = Path(os.path.normpath(given)), Path(os.path.realpath(given))
    if not any(real.is_relative_to(folder) for folder in folders):
        if any(named.is_relative_to(folder) for folder in folders):
            raise OutsideVaultError(
                f"{word} leads through a link out of the folders that may be read. {_NOT_ALLOWED}",
                code="not_allowed",
            )
        raise ForbiddenError(f"{word} may not be read. {_NOT_ALLOWED}", code="not_allowed")
    if not real.exists():
        raise NotFoundError(f"There is no file or folder {word}.")
    return real
