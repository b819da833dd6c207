"""Checks the links of gleanings: the dead become inactive, those that live again active.

A link is dead after failures on two different days. A page that wants a password, is busy or fails
(401, 403, 429, 5xx) says nothing about itself, nor does an address that must not be requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from notewell.base.types.frozen import frozen
from notewell.engine.runs import RunProgress
from notewell.features.gleanings.extract import wait_for_host, with_page
from notewell.features.gleanings.requests import GleaningStatus
from notewell.features.gleanings.state import Mark, StateFile
from notewell.features.gleanings.urls import domain
from notewell.features.gleanings.web import Checked, Web

_FAILURES = 2  # on different days


@frozen
class Link:
    """A link to check. `bare`: nobody wrote a title, so the page's is wanted."""

    id: str
    url: str
    path: str
    bare: bool
    mark: Mark


@frozen
class Upkeep:
    """The parts of a check. `store_status` writes a status to the note, where there is one."""

    web: Web
    state: StateFile
    store_status: Callable[[str, GleaningStatus, str], None]

    def run(self, progress: RunProgress, links: Sequence[Link], *, dry_run: bool) -> None:
        """Check links one after the other, with a second between two requests to a host.

        Hosts that do not answer count only if another one does: without a network none is dead.
        """
        hosts: dict[str, float] = {}
        silent: list[tuple[Link, Checked]] = []
        answered = False
        for link in links:
            wait_for_host(hosts, domain(link.url), progress)
            read = link.bare and not link.mark.title
            checked = self.web.check(link.url, read=read)
            progress.counts["checked"] += 1
            progress.counts[checked.verdict] += 1
            if checked.verdict in {"gone", "unknown"}:
                progress.problem(link.path, f"{link.url}: {checked.reason}")
            if checked.status is None and checked.verdict == "gone":
                silent.append((link, checked))
                continue
            answered = answered or checked.status is not None
            if not dry_run:
                self._apply(link, checked, progress)
        if silent and not answered:
            progress.problem(None, "no host answered: this computer seems to be offline")
        elif not dry_run:
            for link, checked in silent:
                self._apply(link, checked, progress)

    def _apply(self, link: Link, checked: Checked, progress: RunProgress) -> None:
        before = self.state.load().marks.get(link.id, link.mark)
        after = judged(replace(before, status=link.mark.status, reason=link.mark.reason), checked)
        self.state.mark(link.id, lambda _: after)
        if after.status != link.mark.status:
            word = "restored" if after.status == "active" else "dead"
            progress.counts[word] += 1
            self.store_status(link.id, after.status, after.reason)


def judged(mark: Mark, checked: Checked) -> Mark:
    """The mark after one check. Hidden ones are never judged."""
    if mark.status == "hidden" or checked.verdict == "unknown":
        return mark
    if checked.verdict != "gone":
        mark = replace(with_page(mark, checked), failed=())
        if mark.status == "inactive":
            return mark.with_status("active", "", at=checked.at, by="maintain")
        return mark
    day = checked.at[:10]
    failed = mark.failed if day in mark.failed else (*mark.failed, day)[-_FAILURES:]
    mark = replace(mark, failed=failed)
    if mark.status == "active" and len(failed) >= _FAILURES:
        return mark.with_status("inactive", checked.reason, at=checked.at, by="maintain")
    return mark
