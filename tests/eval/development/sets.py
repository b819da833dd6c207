"""The development sets: which queries are made from which collection, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import dates, descriptions, links, names, properties, questions, single_words, tags, topics
from . import title_parts as parts
from .corpora import Corpus, beginnings, is_development, shortened, titles
from .notes import Note, Notes
from .query import DevQuery, chosen
from .typing_mistakes import mistyped
from .unanswerable import foreign, nonsense

Locate = Callable[[str, str], Path | None]  # archive and folder → the unpacked folder

_HUB_FORMS = ("{} plugin", "{}", "plugin {}", "obsidian {}", "{} for obsidian", "{} plugin")
_PLAIN = ("{}",)


@dataclass(frozen=True)
class Collection:
    """Notes or documents that are searched: the archive, and the folder inside.

    A corpus has a file of judgements (`qrels`).
    """

    name: str
    lang: str
    archive: str
    folder: str
    qrels: str | None = None


_I18N = "vault-obsidian-help-i18n"
_XQUAD = "ir-xquad-de-ru-zh"
COLLECTIONS = (
    Collection("hub", "en", "vault-obsidian-hub", "obsidian-hub"),
    Collection("kepano", "en", "vault-kepano", "kepano-obsidian"),
    Collection("excalidraw", "en", "vault-excalidraw-wiki", "excalidraw-wiki"),
    Collection("help-de", "de", _I18N, "obsidian-help-i18n/de"),
    Collection("help-ru", "ru", _I18N, "obsidian-help-i18n/ru"),
    Collection("help-zh", "zh", _I18N, "obsidian-help-i18n/zh"),
    Collection("help-ja", "ja", _I18N, "obsidian-help-i18n/ja"),
    Collection("scifact", "en", "ir-scifact", "scifact", "qrels_train.tsv"),
    Collection("dbpedia", "en", "ir-dbpedia-entity-5k", "dbpedia-entity-5k", "qrels.tsv"),
    Collection("xquad-de", "de", _XQUAD, "xquad/xquad-de", "qrels.tsv"),
    Collection("xquad-ru", "ru", _XQUAD, "xquad/xquad-ru", "qrels.tsv"),
    Collection("xquad-zh", "zh", _XQUAD, "xquad/xquad-zh", "qrels.tsv"),
)
UNANSWERABLE = "unanswerable"
# What is asked of which collection without an answer there, and how many of its queries.
_FOREIGN = (
    ("hub", (("scifact", 60), ("dbpedia", 40))),
    ("excalidraw", (("scifact", 40), ("dbpedia", 40))),
    ("scifact", (("hub", 60), ("help-de", 20), ("help-ja", 20))),
    ("dbpedia", (("hub", 40), ("excalidraw", 20))),
    ("help-de", (("xquad-de", 60), ("dbpedia", 30))),
    ("help-ru", (("xquad-ru", 60),)),
    ("help-zh", (("xquad-zh", 60),)),
    ("help-ja", (("xquad-zh", 40), ("scifact", 30))),
    ("xquad-de", (("help-de", 60), ("hub", 30))),
    ("xquad-ru", (("help-ru", 60),)),
    ("xquad-zh", (("help-zh", 60),)),
)
_NONSENSE = 20  # queries a collection


def make_sets(locate: Locate, forbidden: frozenset[str]) -> dict[str, list[DevQuery]]:
    """Make all sets whose data are there. `forbidden` are queries of test sets, in lower case."""
    made: dict[str, list[DevQuery]] = {}
    without: list[DevQuery] = []
    for collection in COLLECTIONS:
        folder = locate(collection.archive, collection.folder)
        if folder is None:
            continue
        if collection.qrels is not None:
            corpus = Corpus(collection.name, collection.lang, folder, collection.qrels)
            queries, known = _of_corpus(corpus), corpus.counts
        else:
            notes = Notes(collection.name, collection.lang, folder)
            queries, known = _of_notes(notes), notes.counts
        allowed = (query for query in queries if query.text.casefold() not in forbidden)
        made[collection.name] = _different(allowed)
        if collection.lang != "ja":
            without += nonsense(collection.name, collection.lang, known, _NONSENSE)
    for vault, sources in _FOREIGN:
        if vault in made:
            for source, most in sources:
                without += foreign(_answered(made.get(source, ()), most), vault)
    if without:
        made[UNANSWERABLE] = _different(without)
    return made


def _different(queries: Iterable[DevQuery]) -> list[DevQuery]:
    return list({query.id: query for query in queries}.values())


def _answered(queries: Iterable[DevQuery], most: int) -> list[DevQuery]:
    """Queries of several words that mean something in one collection only."""
    kinds = ("claim", "entity", "sentence", "link", "described")
    own = {"dbpedia": ("name",), "xquad-de": ("question",), "xquad-ru": ("question",)}
    own["xquad-zh"] = own["xquad-ru"]
    fit = (query for query in queries if query.kind in (*kinds, *own.get(query.vault, ())))
    return chosen(fit, most)


def _of_corpus(corpus: Corpus) -> list[DevQuery]:
    if corpus.name == "scifact":
        claims = list(corpus.asked("claim", "whole"))
        whole = chosen(claims, 300)
        texts = {query.text for query in whole}
        rest = [query for query in claims if query.text not in texts]
        return [*whole, *chosen(shortened(rest, corpus), 300)]
    if corpus.name == "dbpedia":
        named, begun = chosen(titles(corpus), 120), chosen(beginnings(corpus), 150)
        typos = chosen(mistyped(chosen(titles(corpus), 200)), 80)
        return [*corpus.asked("entity", "keywords"), *named, *begun, *typos]
    asked = [query for query in corpus.asked("question", "whole") if is_development(query.relevant)]
    if corpus.lang == "zh":
        return asked
    short = chosen(shortened(asked, corpus), 150, each=9)
    return [*asked, *short, *chosen(mistyped(short), 60, each=9)]


def _of_notes(notes: Notes) -> list[DevQuery]:
    if notes.name == "hub":
        return _hub(notes)
    if notes.name == "kepano":
        return _kepano(notes)
    if notes.name == "excalidraw":
        return _excalidraw(notes)
    return _help(notes)


def _hub(notes: Notes) -> list[DevQuery]:
    plugins = _in(notes, "/Plugins")
    themes = _in(notes, "/Themes")
    apart = {note.path for note in (*plugins, *themes, *_in(notes, "/People"))}
    guides = [note for note in notes if note.path not in apart]
    news = _in(notes, "/Obsidian Roundup")
    named = [
        *chosen(names.names(notes, plugins, _HUB_FORMS), 200),
        *chosen(names.names(notes, themes, ("{} theme", "theme {}", "{}")), 50),
    ]
    titled = [
        *chosen(parts.title_parts(notes, guides), 110),
        *chosen(parts.title_parts(notes, plugins), 60),
    ]
    own = chosen(
        descriptions.own_words(notes, plugins, descriptions.hub_plugin, ending=" plugin"), 200
    )
    said = list(descriptions.words_of_others(notes))
    return [
        *named,
        *titled,
        *own,
        *chosen((word for word in said if word.kind == descriptions.OTHERS), 200),
        *chosen((word for word in said if word.kind == descriptions.SENTENCE), 150),
        *chosen(links.sentences(notes), 120),
        *chosen(links.link_texts(notes), 150),
        *chosen(single_words.single_words(notes, [*plugins, *themes, *guides]), 120),
        *chosen(single_words.single_words(notes, _in(notes, "/People")), 40),
        *chosen(questions.questions(notes, plugins), 100),
        *chosen(properties.makers(notes), 80),
        *chosen(tags.tags(notes), 60),
        *chosen(topics.topics(notes), 80),
        *chosen(dates.dated(notes, news, dates.in_name, ("roundup", "obsidian roundup")), 150),
        *chosen(mistyped([*named, *titled, *own]), 240),
    ]


def _kepano(notes: Notes) -> list[DevQuery]:
    own = [note for note in notes if "Template" not in note.path]
    named = chosen(names.names(notes, own, _PLAIN), 60)
    titled = chosen(parts.title_parts(notes, own), 30)
    return [
        *named,
        *titled,
        *chosen(properties.values(notes), 120, each=9),
        *chosen(tags.tags(notes), 30),
        *chosen(single_words.single_words(notes), 40),
        *chosen(dates.dated(notes, own, dates.in_properties, ("note", "notes")), 30, each=9),
        *chosen(links.link_texts(notes), 30),
        *chosen(links.sentences(notes), 30),
        *chosen(mistyped([*named, *titled]), 40),
    ]


def _excalidraw(notes: Notes) -> list[DevQuery]:
    texts = [note for note in notes if "/releases" not in note.folder]
    videos = _in(notes, "/Videos")
    releases = [note for note in notes if note.folder.endswith("/releases")]
    named = chosen(names.names(notes, texts, _PLAIN), 100)
    titled = chosen(parts.title_parts(notes, texts), 100)
    own = chosen(descriptions.own_words(notes, videos, descriptions.summary), 100)
    versions = ("release {}", "{}", "excalidraw {} release notes", "version {}")
    return [
        *named,
        *chosen(names.names(notes, releases, versions), 60),
        *titled,
        *own,
        *chosen(topics.topics(notes), 20),
        *chosen(links.link_texts(notes), 100),
        *chosen(links.sentences(notes), 100),
        *chosen(single_words.single_words(notes), 80),
        *chosen(dates.dated(notes, videos, dates.created_line, ("video", "excalidraw video")), 100),
        *chosen(mistyped([*named, *titled, *own]), 120),
    ]


def _help(notes: Notes) -> list[DevQuery]:
    every = list(notes)
    named = chosen(names.names(notes, every, _PLAIN), 80)
    titled = chosen(parts.title_parts(notes, every), 80)
    own = chosen(descriptions.own_words(notes, every, descriptions.description_property), 70)
    return [
        *named,
        *chosen(names.aliases(notes, every), 40),
        *titled,
        *own,
        *chosen(topics.topics(notes), 20),
        *chosen(links.link_texts(notes), 100),
        *chosen(links.sentences(notes), 120),
        *chosen(single_words.single_words(notes), 80),
        *chosen(questions.questions(notes, every), 60),
        *chosen(mistyped([*named, *titled, *own]), 100),
    ]


def _in(notes: Notes, folder: str) -> Sequence[Note]:
    return [note for note in notes if note.folder.endswith(folder)]
