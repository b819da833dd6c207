"""Arrays that other rooms computed from an index, stored in the database for all its servers."""

from __future__ import annotations

import io
import logging
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.base.errors import NotewellError
from notewell.features.postgres.reads import VaultReads
from notewell.index.port import NamedArrays

if TYPE_CHECKING:
    import numpy.typing as npt

logger = logging.getLogger(__name__)


class PostgresArrayCache:
    """Implements `ArrayCache` of the port."""

    def __init__(self, reads: VaultReads, *, writable: bool) -> None:
        """Nothing is read yet."""
        self._reads = reads
        self._writable = writable

    def load(self, name: str, content: str) -> NamedArrays | None:
        """See the port."""
        found = self._reads.rows(
            "SELECT arrays FROM arrays WHERE vault_id = $1 AND name = $2 AND content = $3",
            name, content,
        )  # fmt: skip
        if not found:
            return None
        try:
            with np.load(io.BytesIO(found[0][0]), allow_pickle=False) as stored:
                return {key: stored[key] for key in stored.files}
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            logger.warning("The stored arrays %s are damaged (%s).", name, error)
            return None

    def save(self, name: str, content: str, arrays: NamedArrays) -> None:
        """See the port."""
        if not self._writable:
            return
        packed = io.BytesIO()
        named: dict[str, npt.NDArray[Any]] = dict(arrays)
        np.savez(packed, allow_pickle=False, **named)
        try:
            self._reads.rows(
                "INSERT INTO arrays (vault_id, name, content, arrays) VALUES ($1, $2, $3, $4)"
                " ON CONFLICT (vault_id, name) DO UPDATE SET content = excluded.content,"
                " arrays = excluded.arrays",
                name, content, packed.getvalue(),
            )  # fmt: skip
        except NotewellError as error:
            logger.warning("%s was not saved: %s", name, error.message)
