"""What the error functions and the gamma functions promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry("erf", "The error function of x.", "erf(-0) is -0, erf(inf) is 1, erf(-inf) is -1.", (1.0, 1.0),
          ((-4, 4), (-6, 6)), exact="erf(-x) is -erf(x)",
          fast=(4.0, 4.0)),
    Entry("erfc", "1 - erf(x), with small errors also where it is near 0.",
          "erfc(-inf) is 2, erfc(inf) is 0, erfc(0) is 1.", (1.0, 1.0), ((-4, 10.2), (-6, 27.4))),
    Entry("tgamma", "The gamma function of x.", "tgamma(0) is inf, tgamma(-0) is -inf; NaN of integers "
          "below 0, of -inf and of NaN.", (2.0, 3.0), ((-43, 36), (-185, 172)),
          exact="of integers up to 14 (f32) and 23 (f64): (x - 1)!"),
    Entry("lgamma", "The logarithm of |gamma(x)|.", "inf of 0, of integers below 0 and of infinities. Near "
          "zeros below 0 the error is at most 2^-24 and 2^-53, absolute.", (1.5, 2.0),
          ((-40, 40), (-40, 40)),
          absolute=(2.0**-24, 2.0**-53), exact="lgamma(1) and lgamma(2) are 0"),
)
