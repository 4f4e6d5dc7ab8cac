"""What exp and its kin promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry("exp", "The exponential of x.", "exp(-inf) is 0, exp(inf) is inf, exp(NaN) is NaN.", (1.0, 1.0),
          ((-105, 90), (-746, 711)), numpy="exp", exact="exp(0) is 1; monotone"),
)
