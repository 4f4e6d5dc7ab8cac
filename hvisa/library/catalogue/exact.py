"""What the functions promise whose results are exact."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

WIDE = ((-1e6, 1e6), (-1e6, 1e6))
ENTRIES: tuple[Entry, ...] = (
    Entry("copysign", "|x| with the sign of y.", "A NaN y counts as positive.", (0, 0), WIDE, arguments=2,
          numpy="copysign", exact="always"),
    Entry("round_half_even", "The nearest integral value, halves to the even one.",
          "The sign of zero is kept; infinities and NaN stay.", (0, 0), ((-300, 300), (-300, 300)),
          numpy="rint", exact="always"),
    Entry("ldexp", "x 2^n.", "Rounded once where the result is subnormal, infinite where it is too large; "
          "zeros, infinities and NaN stay.", (0.5, 0.5), WIDE, arguments=2, integer=True,
          integers=(-300, 300), exact="where the result is not subnormal"),
    Entry("frexp", "m and e with x = m 2^e and 0.5 <= |m| < 1.",
          "x and 0 for zeros, infinities and NaN.", (0, 0), WIDE, exact="always"),
    Entry("modf", "The fraction and the integral part of x, both with its sign.",
          "modf(inf) is 0 and inf, modf(NaN) is NaN twice.", (0, 0), WIDE, exact="always"),
    Entry("nextafter", "The number next to x in the direction of y.",
          "y where x equals y, also of zeros of two signs; NaN if either is NaN.", (0, 0), WIDE,
          arguments=2, exact="always"),
    Entry("fmod", "x - n y with n = x / y rounded towards zero.",
          "The result, also 0, has the sign of x. NaN if x is infinite or y is 0; x if y alone is "
          "infinite.", (0, 0), WIDE, arguments=2, exact="always"),
    Entry("remainder", "x - n y with n the integer nearest to x / y, of two the even one.",
          "The result 0 has the sign of x. NaN if x is infinite or y is 0; x if y alone is infinite.",
          (0, 0), WIDE, arguments=2, exact="always"),
)
