"""What tests of indexes are fed."""

from tests.index.conftest import make

__all__ = ["make"]
