"""Shared by the tests of the bytecode: the corpus, and files of the tree that are no package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def load(path: str) -> ModuleType:
    """A script of the tree as a module."""
    name = "hvisa_tree_" + Path(path).stem
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def fuzzer() -> ModuleType:
    return load("fuzz/bytecode.py")
