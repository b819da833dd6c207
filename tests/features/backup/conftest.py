"""Backups are tested by the command line, with data, models and settings of their own."""

from __future__ import annotations

from tests.doors.cli.conftest import (  # noqa: F401 - fixtures
    indexed,
    notewell,
    own_places,
    tiny_model,
    vault,
    with_model,
)
