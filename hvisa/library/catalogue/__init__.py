"""Every function of the mathematics, by name."""

from __future__ import annotations

from hvisa.library.catalogue import exact, exponential, special
from hvisa.library.catalogue.entry import Entry as Entry

CATALOGUE: dict[str, Entry] = {e.name: e for family in (exact, exponential, special) for e in family.ENTRIES}
