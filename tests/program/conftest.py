"""A cache of the test session's own, so that nothing depends on what ran before."""

import os

import pytest

from hvisa.runtime.translations import process_cache


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Also for child processes."""
    before = os.environ.get("HVISA_CACHE_DIR")
    os.environ["HVISA_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    process_cache.cache_clear()
    yield
    os.environ.pop("HVISA_CACHE_DIR")
    if before is not None:
        os.environ["HVISA_CACHE_DIR"] = before
    process_cache.cache_clear()
