"""Every function of the mathematics, by name."""

from __future__ import annotations

from hvisa.library.catalogue import exact, exponential, special
from hvisa.library.catalogue.entry import Entry as Entry

_FAMILIES = (exact, exponential, special)
CATALOGUE: dict[str, Entry] = {e.name: e for family in _FAMILIES for e in family.ENTRIES}
