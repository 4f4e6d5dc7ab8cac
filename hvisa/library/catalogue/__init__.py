"""Every function of the mathematics, by name."""

from __future__ import annotations

from hvisa.library.catalogue import exponential, trigonometry
from hvisa.library.catalogue.entry import Entry as Entry

CATALOGUE: dict[str, Entry] = {e.name: e for family in (exponential, trigonometry) for e in family.ENTRIES}
