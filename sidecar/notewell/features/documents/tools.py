"""Tools that index files outside a vault, below folders that a person allowed in the settings."""

from __future__ import annotations

from functools import partial

from notewell.doors.mcp.index_tools import begin
from notewell.doors.mcp.tool import ArgumentChange, Document, ToolContext, pick, tool_of
from notewell.features.documents.requests import AddDocuments, RemoveDocuments

_MOST_IDS = 100  # of one answer, which has a job and counts besides
_PLACE = ArgumentChange(name="path", doc="Whole path on the server", hint=str)
_NAMESPACE = ArgumentChange(hint=str)
_GLOBS = ArgumentChange(hint=list[str])
_SHOWN = ("namespace", "path", "files", "waiting", "failed", "chunks_created", "duplicates")


def _index(kind: str, context: ToolContext, request: AddDocuments) -> Document:
    reply = context.backend.answer(request)
    ids = list(reply.chunk_ids[:_MOST_IDS])
    return {**pick(reply, *_SHOWN), "chunk_ids": ids, **begin(context, kind)}


TOOLS = (
    tool_of(
        AddDocuments,
        "Index a file",
        "Index a file outside the vault, to read only, in an allowed folder. Gives a job.",
        name="index_file",
        fields=("place", "namespace"),
        changes={"place": _PLACE, "namespace": _NAMESPACE},
        run=partial(_index, "index_file"),
    ),
    tool_of(
        AddDocuments,
        "Index a folder",
        "Index a folder outside the vault, to read only, in an allowed folder. Gives a job.",
        name="index_directory",
        fields=("place", "namespace", "recursive", "include", "exclude"),
        changes={
            "place": _PLACE,
            "namespace": _NAMESPACE,
            "include": ArgumentChange(hint=list[str], doc="Globs"),
            "exclude": _GLOBS,
        },
        run=partial(_index, "index_directory"),
    ),
    tool_of(
        RemoveDocuments,
        "Take documents out",
        "Take the documents of a namespace out of the index, and with `keep` false the namespace"
        " too. The files stay.",
        name="index_clear",
        changes={"namespace": _NAMESPACE, "keep": ArgumentChange(doc="Keep the namespace")},
        destructive=True,
    ),
)
