"""The records that rooms exchange, and the protocols of replaceable parts.

Every room may import this package, which imports no other room. Offsets are code points into
the decoded source of a note, end exclusive; lines are 1-based; times are POSIX seconds (UTC)
unless a field says otherwise; paths are vault-relative, `/`-separated and NFC.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from notewell.base.types.embedding import (
        LATE,
        ChunkSizes,
        CosineScale,
        EmbeddedPiece,
        Embedder,
        EmbedsInPieces,
        EmbedsWindows,
        KnowsCosines,
        KnowsTokens,
        ModelKey,
        Reranker,
        TokenVectors,
        Window,
        knows_cosines,
        knows_tokens,
    )
    from notewell.base.types.notes import (
        BlockMark,
        Chunk,
        ExcludedFile,
        FileRef,
        Heading,
        Link,
        Note,
        SourceText,
        Span,
        Walk,
        embedded_text,
    )
    from notewell.base.types.settings import (
        NOTE_TYPES,
        AskRules,
        ChunkRules,
        DocumentRules,
        GarsRules,
        LimitRules,
        LogRules,
        ModelRules,
        NoteFieldWeights,
        ScheduleRules,
        SearchRules,
        Section,
        ServerRules,
        Settings,
        TopicRules,
        VaultRules,
    )
    from notewell.base.types.stored import (
        Applied,
        Batch,
        ChunkHits,
        IndexCounts,
        IndexFigures,
        KeptModel,
        KeptVectors,
        LedgerEntry,
        ManifestEntry,
        NoteMove,
        NotePut,
        PassageText,
        PendingText,
        StoredChunk,
        StoredNote,
        VectorHits,
        VectorPut,
    )
    from notewell.base.types.values import (
        ChangeKind,
        CountTokens,
        DateSource,
        Direction,
        FileStamp,
        FloatArray,
        FusionMethod,
        IdArray,
        LedgerState,
        Likeness,
        LinkKind,
        LogFormat,
        LogLevel,
        Match,
        ModelPreference,
        NoteField,
        Progress,
        PropertyValue,
        ProviderKind,
        Quantisation,
        SearchMode,
        Signal,
        SpanKind,
        VaultRecord,
        VaultSource,
        Verdict,
        WalkMode,
        WatchMode,
    )

__all__ = [
    "LATE",
    "NOTE_TYPES",
    "Applied",
    "AskRules",
    "Batch",
    "BlockMark",
    "ChangeKind",
    "Chunk",
    "ChunkHits",
    "ChunkRules",
    "ChunkSizes",
    "CosineScale",
    "CountTokens",
    "DateSource",
    "Direction",
    "DocumentRules",
    "EmbeddedPiece",
    "Embedder",
    "EmbedsInPieces",
    "EmbedsWindows",
    "ExcludedFile",
    "FileRef",
    "FileStamp",
    "FloatArray",
    "FusionMethod",
    "GarsRules",
    "Heading",
    "IdArray",
    "IndexCounts",
    "IndexFigures",
    "KeptModel",
    "KeptVectors",
    "KnowsCosines",
    "KnowsTokens",
    "LedgerEntry",
    "LedgerState",
    "Likeness",
    "LimitRules",
    "Link",
    "LinkKind",
    "LogFormat",
    "LogLevel",
    "LogRules",
    "ManifestEntry",
    "Match",
    "ModelKey",
    "ModelPreference",
    "ModelRules",
    "Note",
    "NoteField",
    "NoteFieldWeights",
    "NoteMove",
    "NotePut",
    "PassageText",
    "PendingText",
    "Progress",
    "PropertyValue",
    "ProviderKind",
    "Quantisation",
    "Reranker",
    "ScheduleRules",
    "SearchMode",
    "SearchRules",
    "Section",
    "ServerRules",
    "Settings",
    "Signal",
    "SourceText",
    "Span",
    "SpanKind",
    "StoredChunk",
    "StoredNote",
    "TokenVectors",
    "TopicRules",
    "VaultRecord",
    "VaultRules",
    "VaultSource",
    "VectorHits",
    "VectorPut",
    "Verdict",
    "Walk",
    "WalkMode",
    "WatchMode",
    "Window",
    "embedded_text",
    "knows_cosines",
    "knows_tokens",
]

_HOMES = ("values", "settings", "notes", "embedding", "stored")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load the module of a record when it is first asked for.

        Making all records takes longer than a command beside a running server needs altogether, and
        such a command uses two of the modules.
        """
        if name in __all__:
            for home in _HOMES:
                found = vars(import_module(f"{__name__}.{home}"))
                if name in found:
                    globals()[name] = found[name]
                    return found[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
