"""The packages of Notewell that are installed by themselves, and what each of them brings.

`notewell[all]`, `make run`, the helper and the image have all of them. What misses one says so by
`missing_package`.
"""

from __future__ import annotations

from notewell.base.errors import MissingExtraError
from notewell.base.types.frozen import frozen


@frozen
class OwnPackage:
    """A package: its name for pip, the row of its feature, and what it brings, in a few words.

    `commands` are those of the command line, and `engine` is the engine of indexes that it has.
    """

    name: str
    feature: str
    brings: str
    commands: tuple[str, ...] = ()
    engine: str = ""


POSTGRES = OwnPackage(
    "notewell-postgres",
    "postgres",
    "Indexes in a PostgreSQL database",
    commands=("engine",),
    engine="postgres",
)
EVAL = OwnPackage(
    "notewell-eval",
    "compare",
    "Corpora and other search programs to measure, and models that run by PyTorch",
)
ZOTERO = OwnPackage(
    "notewell-zotero", "zotero", "Abstracts, annotations and notes of a Zotero library"
)
PACKAGES = (EVAL, POSTGRES, ZOTERO)


def missing_package(package: OwnPackage, what: str) -> MissingExtraError:
    """The error of something that needs a package; `what` begins its message."""
    return MissingExtraError(
        f"{what} needs the package {package.name}, which is not installed or switched off. Run"
        f" pip install {package.name}, or look at `notewell features`."
    )
