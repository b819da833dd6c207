"""Links that lead to no note."""

from __future__ import annotations

from notewell.base.types import Link
from notewell.features.graph.network import dangling_links


def link(target: str) -> Link:
    return Link(target, None, None, None, embed=False, kind="wikilink", line=1, start=0, end=1)


def test_spellings_of_one_target_are_counted_together() -> None:
    links = [(1, link("Ideas")), (1, link("ideas.md")), (2, link("IDEAS")), (3, link("Other"))]

    found, attachments = dangling_links(links, within={1, 2, 3})

    assert [(each.target.casefold(), each.links, each.sources) for each in found[1:]] == [
        ("other", 1, (3,))
    ]
    assert (found[0].links, found[0].sources) == (3, (1, 2))
    assert attachments == 0


def test_pictures_are_counted_and_a_name_with_a_dot_is_a_note() -> None:
    links = [(1, link("a.png")), (1, link("b.PDF")), (1, link("Node.js")), (1, link("v1.2"))]

    found, attachments = dangling_links(links, within={1})

    assert {each.target for each in found} == {"Node.js", "v1.2"}
    assert attachments == 2


def test_links_of_excluded_notes_do_not_count() -> None:
    assert dangling_links([(1, link("a.png")), (1, link("A"))], within=()) == ((), 0)
