"""What the trigonometric functions and their inverses promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

TURNS = ((-20.0, 20.0), (-20.0, 20.0))
ENTRIES: tuple[Entry, ...] = (
    Entry("sin", "The sine of x (radians).", "sin(-0) is -0; sin of an infinity or NaN is NaN.", (1.0, 1.0),
          TURNS, numpy="sin", exact="sin(-x) is -sin(x)"),
    Entry("cos", "The cosine of x (radians).", "cos of an infinity or NaN is NaN.", (1.0, 1.0),
          TURNS, numpy="cos", exact="cos(0) is 1; cos(-x) is cos(x)"),
    Entry("sincos", "The sine and the cosine of x (radians), with the bits of `sin` and `cos`.",
          "As `sin` and `cos`.", (1.0, 1.0), TURNS, numpy="sin"),
    Entry("tan", "The tangent of x (radians).", "tan(-0) is -0; tan of an infinity or NaN is NaN.",
          (1.0, 1.0), TURNS, numpy="tan", exact="tan(-x) is -tan(x)"),
)
