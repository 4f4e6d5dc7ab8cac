"""What the error functions and the gamma functions promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry("erf", "The error function of x.", "erf(-0) is -0, erf(inf) is 1, erf(-inf) is -1.", (1.0, 1.0),
          ((-4, 4), (-6, 6)), exact="erf(-x) is -erf(x)"),
    Entry("erfc", "1 - erf(x), with small errors also where it is near 0.",
          "erfc(-inf) is 2, erfc(inf) is 0, erfc(0) is 1.", (1.0, 1.0), ((-4, 10.2), (-6, 27.4))),
)
