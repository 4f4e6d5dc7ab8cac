"""The same cache as other tests that launch."""

from tests.program.conftest import own_cache

__all__ = ["own_cache"]
