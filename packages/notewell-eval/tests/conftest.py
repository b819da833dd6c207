"""Models that tests of embedders use."""

from tests.models.conftest import minilm, model_dir

__all__ = ["minilm", "model_dir"]
