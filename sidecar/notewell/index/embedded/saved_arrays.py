"""Arrays that others make from an index, kept in its folder from one start to the next."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from notewell.index.embedded import reads, snapshot
from notewell.index.embedded.snapshot import Fingerprint
from notewell.index.embedded.store import Store

logger = logging.getLogger(__name__)


class SnapshotCache:
    """What lies beside one database. Whoever keeps arrays here says to which generation they fit.

    `content` names what they are made of and how; arrays of another content are not loaded.
    """

    def __init__(self, store: Store) -> None:
        """Nothing is read yet."""
        self._store = store

    def load(self, name: str, content: str) -> Mapping[str, npt.NDArray[Any]] | None:
        """The arrays last kept of this name for this database, mapped; None: there are none."""
        return snapshot.load(self._store.directory / f"{name}.snapshot", self._made_of(content))

    def save(self, name: str, content: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep arrays, if this is the writer; where the disk refuses, the next start makes them."""
        if not self._store.writable or self._store.closed:
            return
        try:
            snapshot.save(
                self._store.directory / f"{name}.snapshot", self._made_of(content), arrays
            )
        except OSError as error:
            logger.warning("%s was not saved (%s); the next start takes longer.", name, error)

    def _made_of(self, content: str) -> Fingerprint:
        return Fingerprint(reads.generations(self._store)[0], 0, content)
