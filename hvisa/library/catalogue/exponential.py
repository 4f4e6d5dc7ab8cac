"""What exp and its kin promise."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry("exp", "The exponential of x.", "exp(-inf) is 0, exp(inf) is inf, exp(NaN) is NaN.", (1.0, 1.0),
          ((-105, 90), (-746, 711)), numpy="exp", exact="exp(0) is 1; monotone",
          fast=(4.0, 4.0), fast_domain="the result is 2^-125 (f64: 2^-1021) or more; smaller ones are 0"),
    Entry("exp2", "2 to the power x.", "exp2(-inf) is 0, exp2(inf) is inf, NaN stays.", (1.0, 1.0),
          ((-152, 130), (-1078, 1026)), numpy="exp2", exact="exact for whole numbers",
          fast=(4.0, 4.0), fast_domain="the result is 2^-125 (f64: 2^-1021) or more; smaller ones are 0"),
    Entry("exp10", "10 to the power x.", "exp10(-inf) is 0, exp10(inf) is inf, NaN stays.", (1.0, 1.0),
          ((-46, 39), (-325, 309)), exact="exp10(0) is 1",
          fast=(4.0, 4.0), fast_domain="the result is 2^-125 (f64: 2^-1021) or more; smaller ones are 0"),
    Entry("expm1", "exp(x) - 1, also where x is small.", "expm1(-0) is -0, expm1(-inf) is -1, NaN stays.",
          (1.0, 1.0), ((-20, 89), (-40, 710)), numpy="expm1",
          fast=(4.0, 4.0), fast_domain="everywhere; expm1(-0) is +0"),
    Entry("sinh", "The hyperbolic sine.", "sinh(-0) is -0, sinh(inf) is inf, NaN stays; odd.", (1.0, 1.0),
          ((-90, 90), (-711, 711)), numpy="sinh",
          fast=(4.0, 4.0)),
    Entry("cosh", "The hyperbolic cosine.", "cosh(0) is 1, cosh(-inf) is inf, NaN stays; even.", (1.0, 1.0),
          ((-90, 90), (-711, 711)), numpy="cosh",
          fast=(4.0, 4.0)),
    Entry("tanh", "The hyperbolic tangent.", "tanh(-0) is -0, tanh(inf) is 1, NaN stays; odd.", (1.0, 1.0),
          ((-10, 10), (-20, 20)), numpy="tanh",
          fast=(4.0, 4.0)),
)
