"""`hvisa cache`: what translations are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from hvisa.diagnostics import fail


def cache(action: Annotated[str, typer.Argument(metavar="[info|clear|prune]", help="info: size and "
                                                "place; clear: remove all; prune: remove the longest "
                                                "unused beyond the limit.")] = "info") -> None:
    """Show or empty the cache of translations.

    Example: `hvisa cache clear`
    """
    from hvisa.runtime.translations import process_cache
    kept = process_cache()
    if action == "info":
        entries = kept.entries()
        size = sum(e.size_bytes for e in entries)
        print(f"{kept.directory or 'off'}: {len(entries)} entries, {size / 1e6:.1f} MB of "
              f"{kept.limit_bytes / 1e6:.0f} MB")
    elif action == "clear":
        print(f"removed {kept.clear()} entries")
    elif action == "prune":
        before = kept.stats.pruned
        kept.prune()
        print(f"removed {kept.stats.pruned - before} entries")
    else:
        raise fail("HV1001", f"`hvisa cache` has no action `{action}`",
                   help="actions are info, clear and prune")
