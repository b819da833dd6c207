"""Hides something that a vault has, runs a check, and counts what comes back.

Each function takes a vault's notes (and vectors) and gives a `Count`: how many suggestions fall on
what was hidden, how many of them are right, and how many could have been. Suggestions elsewhere
are not counted where nobody knows whether they are right.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from notewell.base.types import Link
from notewell.features.gardener.checks import (
    CHECKS,
    broken_links,
    conflict_copy,
    disagreements,
    missing_properties,
    missing_tags,
    missing_topics,
    near_duplicates,
    orphans,
    similar_topics,
    tag_variants,
    unlinked_mentions,
    untitled,
)
from notewell.features.gardener.garden import Garden
from notewell.features.gardener.mentions import fold_name, letters_of
from notewell.features.gardener.requests import SuggestionView
from notewell.vault.edit_properties import edit_properties
from notewell.vault.topics import Ontology, Topic

from .gardens import Texts, Vectors, garden_of

SHARE = 0.1  # of links, tags, topics … that is hidden
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Count:
    """Suggestions, those that are right, and what was hidden."""

    made: int = 0
    right: int = 0
    hidden: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.made + other.made, self.right + other.right, self.hidden + other.hidden)

    @property
    def precision(self) -> float | None:
        """The share of suggestions that are right."""
        return self.right / self.made if self.made else None

    @property
    def recall(self) -> float | None:
        """The share of what was hidden that comes back."""
        return self.right / self.hidden if self.hidden else None


def _some(rng: random.Random, items: list[str]) -> list[str]:
    return sorted(rng.sample(items, max(1, round(SHARE * len(items))))) if items else []


def _misspelled(rng: random.Random, name: str) -> str:
    """A name with a slip: moved, other separators, a plural s, or one letter wrong."""
    kind = rng.randrange(4)
    if kind == 0:
        return f"Archive/{name}"
    if kind == 1 and re.search(r"[ A-Z]", name):
        return name.lower().replace(" ", "-")
    if kind == 2 or len(name) < 6:
        return f"{name}s"
    at = rng.randrange(1, len(name) - 1)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return rng.choice(
        [
            name[:at] + name[at + 1 :],
            name[:at] + letter + name[at:],
            name[:at] + letter + name[at + 1 :],
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        ]
    )


def links_to_slips(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Misspell the target of links, and delete the targets of others, which have no answer."""
    garden = garden_of(texts)
    gone = set(_some(rng, sorted(garden.linked_from))[::2])
    places = [
        (path, link, target)
        for path, note in garden.notes.items()
        if path not in gone and path in garden.tended
        for link, target in note.links
        if link.kind == "wikilink" and target not in {None, path} and _in_body(garden, path, link)
    ]
    chosen = rng.sample(places, max(1, round(SHARE / 2 * len(places)))) if places else []
    broken = dict(texts)
    meant: dict[tuple[str, str], str] = {}
    for path, link, target in sorted(chosen, key=lambda one: (one[0], -one[1].start)):
        slip = _misspelled(rng, garden.notes[target or ""].name)
        known = garden.names.resolve(slip, path) is not None
        if target in gone or known or target is None:
            continue
        text = broken[path]
        written = text[link.start : link.end].replace(link.target, slip, 1)
        broken[path] = f"{text[: link.start]}{written}{text[link.end :]}"
        meant[(path, slip)] = target
    left = {path: text for path, text in broken.items() if path not in gone}
    removed = {
        (path, link.target) for path, link, target in places if target in gone
    }  # no suggestion is right there
    made = [each for each in broken_links.find(garden_of(left)) if not each.edit[0].create]
    found = {(each.path, each.title[2:].split("]] → ")[0]): each for each in made}
    mine = {key: one for key, one in found.items() if key in meant or key in removed}
    # Links name files, so no alias may make a suggestion right.
    named = garden_of(left).names.files_named
    right = sum(
        {meant.get(key)} == named(one.edit[0].text[0].new.rpartition("/")[2])
        for key, one in mine.items()
    )
    return Count(len(mine), right, len(meant))


def _tags(one: SuggestionView) -> tuple[str, str]:
    """The tag of a suggestion and its other spelling, without their marks."""
    variant, usual = one.title.split(" → ")
    return variant.removeprefix("#"), usual.removeprefix("#")


def _named(garden: Garden, one: SuggestionView) -> str:
    """The path of the note that the first property which an edit sets or adds to links."""
    edit = one.edit[0]
    (value,) = [*edit.set.values(), *(item for items in edit.add.values() for item in items)][:1]
    target = str(value).removeprefix("[[").removesuffix("]]").partition("|")[0]
    return garden.names.resolve(target, edit.path) or ""


def _in_body(garden: Garden, path: str, link: Link) -> bool:
    body = garden.read(path)
    return body is not None and link.start >= body.start


def unlinked(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Take all links out of some notes; only links that say a name of their target come back."""
    garden = garden_of(texts)
    linking = [
        path
        for path, note in garden.notes.items()
        if path in garden.tended and any(to not in {None, path} for _, to in note.links)
    ]
    hidden = _some(rng, linking)
    plain, named = dict(texts), set()
    truth = {(path, to) for path in hidden for _, to in garden.notes[path].links}
    for path in hidden:
        for link, to in sorted(garden.notes[path].links, key=lambda one: -one[0].start):
            if to is None or not _in_body(garden, path, link):
                continue
            shown = "" if link.embed else link.display or link.target.rpartition("/")[2]
            text = plain[path]
            plain[path] = f"{text[: link.start]}{shown}{text[link.end :]}"
            note = garden.notes[to]
            if fold_name(shown) in {fold_name(n) for n in (note.name, note.title, *note.aliases)}:
                named.add((path, to))
    made = [
        (mention.note, mention.use.target)
        for mention in unlinked_mentions.mentions(garden_of(plain))
        if mention.note in hidden and mention.confidence() >= unlinked_mentions.MIN_CONFIDENCE
    ]
    return Count(len(made), len(set(made) & truth), len(named))


def duplicates(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Copy notes and change a tenth of their words; natural pairs count as wrong."""
    long = [path for path, text in texts.items() if len(_WORD.findall(text)) >= 80]
    copied = _some(rng, sorted(long))
    copies = {}
    for path in copied:
        copies[f"Copies/{path}"] = _WORD.sub(
            lambda word: word[0] if rng.random() > SHARE else "changed", texts[path]
        )
    garden = garden_of({**texts, **copies})
    made = list(near_duplicates.find(garden))
    pairs = [{each.path, _named(garden, each)} for each in made]
    planted = [{path, f"Copies/{path}"} for path in copied]
    return Count(len(pairs), sum(pair in planted for pair in pairs), len(planted))


def topic_slips(texts: Texts, vectors: Vectors, rng: random.Random) -> Count:
    """Take the most linked notes as topics, and add misspelled ones for some of them."""
    garden = garden_of(texts, vectors)
    ranked = sorted(garden.linked_from, key=lambda path: (-len(garden.linked_from[path]), path))
    paths = ranked[:200]
    slips = {}
    for path in _some(rng, paths):
        name = garden.notes[path].name
        slips[f"Slips/{_misspelled(rng, name).rpartition('/')[2] or name}.md"] = path
    full = garden_of({**texts, **dict.fromkeys(slips, "")}, vectors)
    names = enumerate([*paths, *slips])
    topics = tuple(Topic(n, full.notes[path].name, path, ()) for n, path in names)
    asked = replace(full, ontology=Ontology(topics, {}, None))
    made = list(similar_topics.find(asked))
    pairs = [{each.path, _kept(full, each)} for each in made]
    planted = [{slip, path} for slip, path in slips.items()]
    return Count(len(pairs), sum(pair in planted for pair in pairs), len(planted))


def _kept(garden: Garden, one: SuggestionView) -> str:
    """The topic that a suggestion keeps: that of the edit of the one it gives up."""
    own = replace(one, edit=tuple(edit for edit in one.edit if edit.path == one.path))
    return _named(garden, own)


def topics(texts: Texts, vectors: Vectors, rng: random.Random) -> Count:
    """Take links to the most linked notes as topics, and hide those of some notes."""
    garden = garden_of(texts, vectors)
    ranked = sorted(garden.linked_from, key=lambda path: (-len(garden.linked_from[path]), path))
    chosen = ranked[:30]
    given = {
        path: frozenset(to for _, to in note.links if to in chosen and to != path)
        for path, note in garden.notes.items()
        if path not in chosen
    }
    having = sorted(path for path, found in given.items() if found and path in garden.row_of)
    hidden = set(_some(rng, having))
    notes = {}
    for path, note in garden.notes.items():
        stated = given.get(path, frozenset()) if path not in hidden else frozenset()
        links = tuple(f"[[{to.removesuffix('.md')}]]" for to in sorted(filter(None, stated)))
        kept = {k: v for k, v in note.properties.items() if k.lower() not in {"topics", "topic"}}
        notes[path] = replace(
            note, properties={**kept, "topics": links} if links else kept, links=()
        )
    ontology = Ontology(
        tuple(Topic(n, notes[path].name, path, ()) for n, path in enumerate(chosen)), {}, None
    )
    made = missing_topics.find(replace(garden, notes=notes, ontology=ontology))
    mine = [(each.path, _named(garden, each)) for each in made if each.path in hidden]
    return Count(
        len(mine),
        sum(topic in given[path] for path, topic in mine),
        sum(len(given[path]) for path in hidden),
    )


def variants(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Misspell some tags in one note each; variants that the vault has itself are not counted."""
    garden = garden_of(texts)
    uses: dict[str, list[str]] = defaultdict(list)
    for path, note in garden.notes.items():
        for tag in note.tags:
            uses[tag].append(path)
    frequent = sorted(tag for tag, paths in uses.items() if len(paths) >= 3 and letters_of(tag))
    edited, planted = dict(texts), {}
    for tag in _some(rng, frequent):
        variant = rng.choice(
            [tag.upper(), tag.title(), f"{tag}s", f"{tag[:3]}-{tag[3:]}", tag.replace("/", "-")]
        )
        if variant in uses or variant.endswith("-"):
            continue
        path = rng.choice(uses[tag])
        pattern = re.compile(rf"(?<![\w/-]){re.escape(tag)}(?![\w/-])")
        after = pattern.sub(variant, texts[path])
        if after != texts[path] and tag not in garden_of({path: after}).notes[path].tags:
            edited[path] = after
            planted[variant] = tag
    near = {letters_of(tag) for tag in planted.values()}
    made = [
        each for each in tag_variants.find(garden_of(edited)) if letters_of(_tags(each)[0]) in near
    ]
    right = sum(planted.get(_tags(each)[0]) == _tags(each)[1] for each in made)
    return Count(len(made), right, len(planted))


def alone(texts: Texts, vectors: Vectors, rng: random.Random) -> Count:
    """Take away all links of some notes; right is a note that was linked with the orphan."""
    garden = garden_of(texts, vectors)
    linked = {path: set(garden.linked_from.get(path, ())) for path in garden.notes}
    for path, note in garden.notes.items():
        linked[path] |= {to for _, to in note.links if to not in {None, path}}
    candidates = [p for p, some in linked.items() if some and p in garden.row_of]
    hidden = set(_some(rng, sorted(candidates)))
    notes = {
        path: replace(
            note,
            links=()
            if path in hidden
            else tuple((link, to) for link, to in note.links if to not in hidden),
        )
        for path, note in garden.notes.items()
    }
    made = [
        (each.path, each.edit[0].path)
        for each in orphans.find(replace(garden, notes=notes))
        if each.path in hidden
    ]
    return Count(
        len(made),
        sum(source in linked[path] for path, source in made),
        sum(min(orphans.MOST, len(linked[path])) for path in hidden),
    )


def titles(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Rename notes that have a heading; right is a title that says what the name said."""
    garden = garden_of(texts)
    headed = [
        path
        for path in sorted(garden.tended)
        if re.search(r"^#{1,6} ", texts[path], re.MULTILINE) and not garden.notes[path].tags
    ]
    renamed = {}
    for n, path in enumerate(_some(rng, headed)):
        text = edit_properties(texts[path], {}, remove=("title", "Title"))
        renamed[f"{garden.notes[path].folder}/Untitled {n}.md".lstrip("/")] = (path, text)
    left = {path: text for path, text in texts.items() if path not in dict(renamed.values())}
    made = untitled.find(garden_of({**left, **{new: text for new, (_, text) in renamed.items()}}))
    mine = [each for each in made if each.path in renamed]
    right = 0
    for one in mine:
        note = garden.notes[renamed[one.path][0]]
        names = (note.name, note.title, *note.aliases)
        right += any(_says(str(one.edit[0].set["title"]), name) for name in names)
    return Count(len(mine), right, len(renamed))


def _says(title: str, name: str) -> bool:
    """Whether two titles share at least half of the words of the shorter one."""
    one, other = (
        {letters_of(word) for word in re.findall(r"\w+", text)} - {""} for text in (title, name)
    )
    return len(one & other) * 2 >= max(1, min(len(one), len(other)))


def properties(texts: Texts, _: Vectors, rng: random.Random) -> Count:
    """Take a property from some notes; right is that property, with its value if one is given."""
    garden = garden_of(texts)
    having = [
        path
        for path in sorted(garden.tended)
        if garden.notes[path].properties and texts[path].startswith("---")
    ]
    edited, truth = dict(texts), {}
    for path in _some(rng, having):
        body = garden.read(path)
        names = [] if body is None else sorted(body.properties)
        if names:
            name = rng.choice(names)
            edited[path] = edit_properties(texts[path], {}, remove=(name,))
            truth[path] = (name, garden.notes[path].properties.get(name))
    made = [each for each in missing_properties.find(garden_of(edited)) if each.path in truth]
    right = 0
    for one in made:
        ((name, value),) = one.edit[0].set.items()
        hidden = truth[one.path]
        right += name == hidden[0] and (value in ("", ()) or value == hidden[1])
    return Count(len(made), right, len(truth))


Measure = Callable[[Texts, Vectors, random.Random], Count]
# `missing_tags` is in run.py: what is embedded names tags, so those notes are embedded anew.
# `disagreements` has a measurement of its own, disagreements.py. `conflict_copy` only shows what
# the index has told apart already.
MEASURES: Mapping[str, Measure] = {
    broken_links.NAME: links_to_slips,
    unlinked_mentions.NAME: unlinked,
    near_duplicates.NAME: duplicates,
    similar_topics.NAME: topic_slips,
    missing_topics.NAME: topics,
    tag_variants.NAME: variants,
    orphans.NAME: alone,
    untitled.NAME: titles,
    missing_properties.NAME: properties,
}
assert (
    MEASURES.keys() | {missing_tags.NAME, disagreements.NAME, conflict_copy.NAME} == CHECKS.keys()
)
