"""What was begun is undone when the next step fails, and only then."""

from __future__ import annotations

import pytest

from notewell.base.errors import on_error


def test_an_error_undoes_and_is_raised_on() -> None:
    undone = []

    with pytest.raises(KeyboardInterrupt), on_error(lambda: undone.append("closed")):
        raise KeyboardInterrupt

    assert undone == ["closed"]


def test_without_an_error_nothing_is_undone() -> None:
    undone = []

    with on_error(lambda: undone.append("closed")):
        pass

    assert undone == []
