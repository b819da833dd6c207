"""Settings that several tests of the engine use."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.types import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """No model can be loaded: there is none, and nothing is fetched."""
    return Settings(
        data_dir=tmp_path / "data",
        model_dir=tmp_path / "models",
        state_dir=tmp_path / "state",
        offline=True,
    )
