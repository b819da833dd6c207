"""The vault that these tests search."""

from tests.search.conftest import make_library

__all__ = ["make_library"]
