"""Every function of the mathematics, by name."""

from __future__ import annotations

from hvisa.library.catalogue import exponential, logarithm, trigonometry
from hvisa.library.catalogue.entry import Entry as Entry

_FAMILIES = (exponential, logarithm, trigonometry)
CATALOGUE: dict[str, Entry] = {e.name: e for family in _FAMILIES for e in family.ENTRIES}
