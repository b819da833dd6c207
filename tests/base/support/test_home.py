"""Paths that begin with `~`."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.errors import UsageError
from notewell.base.support.disk import allowed_place, expand_user


def test_a_home_folder_is_put_in_and_that_of_an_unknown_user_stays() -> None:
    assert expand_user("~/Notes") == Path.home() / "Notes"
    assert expand_user("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")


def test_a_document_of_an_unknown_user_is_no_whole_path() -> None:
    with pytest.raises(UsageError, match="whole path"):
        allowed_place("~nobody-of-this-name/x", ())
