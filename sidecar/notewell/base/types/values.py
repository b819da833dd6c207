"""Type names of the plain values in records.

The array types are only for annotations: this package is imported everywhere and must not load
numpy, so at run time they are strings. A module that makes arrays imports numpy itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from notewell.base.types.frozen import frozen

if TYPE_CHECKING:  # numpy takes longer to load than the rest of a short command
    import numpy as np
    import numpy.typing as npt

VAULTS = "vaults"  # the folder of the data directory with what belongs to each vault

PropertyValue: TypeAlias = (
    "str | int | float | bool | tuple[PropertyValue, ...] | Mapping[str, PropertyValue] | None"
)
# A file as a client lists it: path, size in bytes, mtime in milliseconds since 1970.
FileStamp: TypeAlias = tuple[str, int, int]
FloatArray: TypeAlias = "npt.NDArray[np.float32]"
IdArray: TypeAlias = "npt.NDArray[np.int64]"
CountTokens: TypeAlias = Callable[[str], int]
# How alike each text is to the next one: cosines, one fewer than texts.
Likeness: TypeAlias = Callable[[Sequence[str]], Sequence[float]]

LedgerState = Literal["indexed", "pending", "failed", "excluded", "keyword_only"]
LEDGER_STATES: tuple[LedgerState, ...] = get_args(LedgerState)
SearchMode = Literal["hybrid", "keyword", "semantic"]
Signal = Literal["whole_notes", "spelling", "names", "tags", "links", "folders", "recency"]
FusionMethod = Literal["auto", "rrf", "weighted", "blend", "convex", "gars"]
# Where a word of a note may stand; `path` is its folders, `properties` those without a field.
NoteField = Literal[
    "title",
    "file_name",
    "aliases",
    "headings",
    "tags",
    "path",
    "body",
    "properties",
    "description",
    "author",
    "topics",
]
Match = Literal["strong", "related", "weak"]  # how relevant a result is to its query
ChangeKind = Literal["create", "modify", "delete", "rename"]
LinkKind = Literal["wikilink", "markdown"]
# Where the day of a note is from: the name of a daily note, a property, a file name, file times.
DateSource = Literal["daily", "created", "name", "modified", "file"]
Direction = Literal["out", "in", "both"]  # along links, against them, or either way
# Along links alone, or also from a note to its topics and from a topic to the notes that name it.
WalkMode = Literal["simple", "ontology"]
ChunkMethod = Literal["headings", "semantic"]
SpanKind = Literal[
    "heading", "paragraph", "list", "table", "code", "math", "callout", "quote", "footnote"
]
WatchMode = Literal["auto", "events", "poll", "off"]
Quantisation = Literal["int8", "fp32"]
# Where a local model runs, if the installed build of onnxruntime has it.
Device = Literal["cpu", "coreml", "cuda", "openvino"]
ProviderKind = Literal["none", "openai", "anthropic"]
EmbeddingProvider = Literal[
    "local", "openai", "ollama", "gemini", "voyage", "cohere", "jina", "mistral"
]
RerankProvider = Literal["local", "voyage", "cohere", "jina", "tei", "llamacpp"]
ModelPreference = Literal["capable", "cheap"]  # among the language models of a provider
LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
# Where a vault's notes come from: a person's folder, clients, an export, or another program.
VaultSource = Literal["folder", "mirror", "import", "roam", "logseq"]
VaultViewer = Literal["", "assistants"]
# A person's judgement of a note as a result of a query.
Verdict = Literal["this_was_it", "never_for_this"]


@frozen
class Progress:
    """The progress of an index run."""

    stage: Literal["scan", "read", "sample", "embed", "done"]
    done: int
    total: int
    current: str | None = None


@frozen
class VaultRecord:
    """A known vault. `path` is the real path of its folder.

    `view` names those who see it so: its owner (""), or assistants, for whom some of its notes are
    not there (`engine/assistants.py`).
    """

    id: str
    name: str
    path: Path
    source: VaultSource = "folder"
    default: bool = False
    view: VaultViewer = ""

    @property
    def key(self) -> str:
        """A name that neither another vault has nor another view of this one."""
        return f"{self.id}.{self.view}" if self.view else self.id

    @property
    def owners(self) -> VaultRecord:
        """The vault as its owner sees it."""
        return replace(self, view="")

    def data_folder(self, data_dir: Path) -> Path:
        """The folder of what belongs to it, even if a setting puts its index elsewhere."""
        folder = data_dir / VAULTS / self.id
        return folder / self.view if self.view else folder

    @property
    def is_converted(self) -> bool:
        """True if its notes were made here from a source that is no folder, and are only read."""
        return self.source in {"import", "roam", "logseq"}

    @property
    def obsidian_name(self) -> str:
        """The vault's name in Obsidian: its folder's, or of a mirror the client vault's."""
        return self.path.name if self.source == "folder" else self.name
