"""Every function of the mathematics, by name."""

from __future__ import annotations

from hvisa.library.catalogue import exact, exponential, logarithm, special, trigonometry
from hvisa.library.catalogue.entry import Entry as Entry

_FAMILIES = (exponential, logarithm, trigonometry, special, exact)
CATALOGUE: dict[str, Entry] = {e.name: e for family in _FAMILIES for e in family.ENTRIES}
