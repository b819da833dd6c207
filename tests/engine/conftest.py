"""Settings that several tests of the engine use."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.types import Settings
from tests.vaults import settings_in


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """No model can be loaded: there is none, and nothing is fetched."""
    return settings_in(
        tmp_path,
    )
