"""What the trigonometric functions and their inverses promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

TURNS = ((-20.0, 20.0), (-20.0, 20.0))
ENTRIES: tuple[Entry, ...] = (
    Entry("sin", "The sine of x (radians).", "sin(-0) is -0; sin of an infinity or NaN is NaN.", (1.0, 1.0),
          TURNS, numpy="sin", exact="sin(-x) is -sin(x)",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^16 (f64: 2^30); beyond, the result is any number of [-1, 1]; "
                      "sin(-0) is +0"),
    Entry("cos", "The cosine of x (radians).", "cos of an infinity or NaN is NaN.", (1.0, 1.0),
          TURNS, numpy="cos", exact="cos(0) is 1; cos(-x) is cos(x)",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^16 (f64: 2^30); beyond, the result is any number of [-1, 1]"),
    Entry("sincos", "The sine and the cosine of x (radians), with the bits of `sin` and `cos`.",
          "As `sin` and `cos`.", (1.0, 1.0), TURNS, numpy="sin",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^16 (f64: 2^30); beyond, the result is any number of [-1, 1]; "
                      "bits are not those of `sin.fast` and `cos.fast`; the sine of -0 is +0"),
    Entry("tan", "The tangent of x (radians).", "tan(-0) is -0; tan of an infinity or NaN is NaN.",
          (1.0, 1.0), TURNS, numpy="tan", exact="tan(-x) is -tan(x)",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^16 (f64: 2^30); beyond, the result is any number; tan(-0) is +0"),
    Entry("atan", "The arc tangent of x, in [-pi/2, pi/2].",
          "atan(-0) is -0, atan of an infinity is pi/2 with its sign, atan(NaN) is NaN.", (1.0, 1.0),
          ((-6.0, 6.0), (-6.0, 6.0)), numpy="arctan", exact="atan(-x) is -atan(x)",
          fast=(4.0, 4.0)),
    Entry("atan2", "The angle of the point (x, y), in [-pi, pi].",
          "The result has the sign of y. For y = 0 it is 0 where x is positive or +0, and pi where x is "
          "negative or -0; for infinite y it is pi/2, for infinite x 0 or pi, for both pi/4 or 3 pi/4. "
          "NaN if either is NaN.", (1.0, 1.0), ((-6.0, 6.0), (-6.0, 6.0)), arguments=2, numpy="arctan2",
          exact="atan2(-y, x) is -atan2(y, x)",
          fast=(4.0, 4.0),
          fast_domain="|x| or |y| is a normal number; smaller points have angles that are too small, "
                      "atan2 of two infinities is NaN"),
    Entry("asin", "The arc sine of x, in [-pi/2, pi/2].",
          "asin(-0) is -0; NaN outside of [-1, 1].", (1.0, 1.0), ((-1.0, 1.0), (-1.0, 1.0)), numpy="arcsin",
          exact="asin(-x) is -asin(x)",
          fast=(4.0, 4.0)),
    Entry("acos", "The arc cosine of x, in [0, pi].", "acos(1) is +0; NaN outside of [-1, 1].", (1.0, 1.0),
          ((-1.0, 1.0), (-1.0, 1.0)), numpy="arccos",
          fast=(4.0, 4.0)),
)
