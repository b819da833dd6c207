"""The model of a vault in a database, its vectors as rows, and pgvector's index of them.

A vector is stored once for each vault, model and text. Each model has an approximate index of its
own (HNSW by pgvector), because its vectors have their own dimensions and are compared with nothing
else; it is made when a model has so many vectors that it is needed. `VectorReads` may be used in
any thread; functions that take a session are parts of the writer's transaction.
"""

# ruff: noqa: S608 (what is put into SQL are names and numbers of ours; values are bound)

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.api.errors import ModelError
from notewell.api.vault import ModelKey
from notewell.index.arrays import check_dimensions
from notewell_postgres.connection import Session

MOST_DIMENSIONS = 4_000  # of pgvector's index of half-precision vectors
# Candidates held while the graph is made. With pgvector's 64 one of fifty of the nearest is missed.
_EF_CONSTRUCTION = 128
EXACT_LIMIT = 20_000  # vectors of a model; up to it, all are compared


@dataclass(frozen=True, slots=True)
class UsedModel:
    """A model in use. `own`: chunks name its vectors; else they are found by their texts alone."""

    number: int
    key: ModelKey
    dimensions: int
    own: bool


def register_model(session: Session, vault: int, model: ModelKey, dimensions: int) -> int:
    """The number of a model, given on first sight.

    Raises:
        ModelError: its vectors were of another dimension before, or have too many.

    """
    if dimensions > MOST_DIMENSIONS:
        raise ModelError(
            f"Vectors of {model} have {dimensions} dimensions; an index in PostgreSQL holds"
            f" {MOST_DIMENSIONS} at most. Choose fewer with the setting model.dimensions, or"
            " another model.",
            code="too_many_dimensions",
        )
    key = (model.name, model.weights_hash, model.quantisation)
    session.execute(
        "INSERT INTO models (name, weights_hash, quantisation, dimensions) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT DO NOTHING",
        *key, dimensions,
    )  # fmt: skip
    ((number, known),) = session.read(
        "SELECT id, dimensions FROM models WHERE (name, weights_hash, quantisation) = ($1, $2, $3)",
        *key,
    )
    check_dimensions(model, known=known, given=dimensions)
    session.execute(
        "INSERT INTO vault_models (vault_id, model_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        vault,
        number,
    )
    return int(number)


def use_model(session: Session, vault: int, number: int | None) -> bool:
    """Search with a model's vectors; returns whether anything changed.

    Without a model, which vector stands for which chunk stays as it is, for its return.
    """
    ((active, before),) = session.read(
        "SELECT model_active, model_vectors FROM vaults WHERE id = $1", vault
    )
    if active == number and before == (before if number is None else number):
        return False
    session.execute("UPDATE vaults SET model_active = $2 WHERE id = $1", vault, number)
    if number is None:
        session.execute(
            "UPDATE ledger l SET state = 'keyword_only' FROM notes n WHERE l.vault_id = $1"
            " AND n.vault_id = $1 AND n.path = l.path AND l.state = 'indexed'"
            " AND EXISTS (SELECT FROM chunks c WHERE c.vault_id = $1 AND c.note_id = n.id)",
            vault,
        )
        return True
    session.execute("UPDATE vaults SET model_vectors = $2 WHERE id = $1", vault, number)
    _choose_vectors(session, vault, number)
    return True


def _choose_vectors(session: Session, vault: int, number: int) -> None:
    has = "EXISTS (SELECT FROM vectors v WHERE v.vault_id = $1 AND v.model_id = $2 AND v.text_hash"
    session.execute(
        f"UPDATE chunks c SET vector_hash = CASE WHEN {has} = c.text_hash) THEN c.text_hash"
        f" WHEN {has} = c.vector_hash) THEN c.vector_hash END"
        " WHERE c.vault_id = $1 AND c.vector_hash IS DISTINCT FROM c.text_hash"
        f" OR c.vault_id = $1 AND NOT {has} = c.text_hash)",
        vault, number,
    )  # fmt: skip
    session.execute(
        "UPDATE notes n SET awaiting = a.waits FROM (SELECT n.id, EXISTS (SELECT FROM chunks c"
        " WHERE c.vault_id = $1 AND c.note_id = n.id AND c.vector_hash IS DISTINCT FROM"
        " c.text_hash) AS waits FROM notes n WHERE n.vault_id = $1) a"
        " WHERE n.vault_id = $1 AND n.id = a.id AND n.awaiting <> a.waits",
        vault,
    )
    session.execute(
        "UPDATE ledger l SET state = CASE WHEN EXISTS (SELECT FROM notes n WHERE n.vault_id = $1"
        " AND n.path = l.path AND n.awaiting) THEN 'keyword_only' ELSE 'indexed' END"
        " WHERE l.vault_id = $1 AND l.state IN ('indexed', 'keyword_only')",
        vault,
    )


def store_vectors(
    session: Session,
    vault: int,
    number: int,
    vectors: Sequence[tuple[bytes, npt.NDArray[np.float16]]],
) -> None:
    """Store vectors by text hash; one that is there stays. Chunks with these texts take them."""
    hashes = [text_hash for text_hash, _ in vectors]
    session.bind_halfvecs()
    session.execute(
        "INSERT INTO vectors (vault_id, model_id, text_hash, vector)"
        " SELECT $1, $2, g.* FROM unnest($3::bytea[], $4::halfvec[]) g ON CONFLICT DO NOTHING",
        vault, number, hashes, [_pack(vector) for _, vector in vectors],
    )  # fmt: skip
    ((active, used),) = session.read(
        "SELECT model_active, model_vectors FROM vaults WHERE id = $1", vault
    )
    if used != number:
        return
    touched = session.read(
        "UPDATE chunks SET vector_hash = text_hash WHERE vault_id = $1 AND text_hash = ANY($2)"
        " AND vector_hash IS DISTINCT FROM text_hash RETURNING note_id",
        vault, hashes,
    )  # fmt: skip
    done = session.read(
        "UPDATE notes n SET awaiting = false WHERE n.vault_id = $1 AND n.id = ANY($2)"
        " AND NOT EXISTS (SELECT FROM chunks c WHERE c.vault_id = $1 AND c.note_id = n.id"
        " AND c.vector_hash IS DISTINCT FROM c.text_hash) RETURNING path",
        vault, sorted({row[0] for row in touched}),
    )  # fmt: skip
    if active == number:
        session.execute(
            "UPDATE ledger SET state = 'indexed' WHERE vault_id = $1 AND state = 'keyword_only'"
            " AND path = ANY($2)",
            vault, [row[0] for row in done],
        )  # fmt: skip


def as_text(vector: npt.NDArray[np.floating]) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector.tolist()))}]"


def index_name(number: int) -> str:
    """The name of a model's approximate index."""
    return f"vectors_of_model_{number}"


def make_index(session: Session, number: int, dimensions: int) -> None:
    """Make a model's approximate index, if it is not there. It takes minutes for a million."""
    session.execute(
        f"CREATE INDEX IF NOT EXISTS {index_name(number)} ON vectors USING hnsw"
        f" ((vector::halfvec({dimensions})) halfvec_ip_ops)"
        f" WITH (ef_construction = {_EF_CONSTRUCTION}) WHERE model_id = {int(number)}"
    )


def _pack(vector: npt.NDArray[np.float16]) -> bytes:
    """A halfvec in its binary form: its dimensions, a number that is 0, its halves; big endian."""
    return struct.pack(">HH", len(vector), 0) + vector.astype(">f2").tobytes()
