"""The tutorial's code prints what it says, from top to bottom in one session."""

from __future__ import annotations

from pathlib import Path

from tests.docs.snippets import run_snippets

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")


def test_the_tutorial_prints_what_it_says() -> None:
    assert run_snippets(TUTORIAL, "tutorial") >= 15


def test_pages_are_linked() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in ("tutorial.md", "coming_from.md"):
        assert (ROOT / "docs" / page).is_file()
        assert f"(docs/{page})" in readme
