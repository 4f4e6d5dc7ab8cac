"""What log and its kin promise, and the powers."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

_LOG = "{0}(+0) and {0}(-0) are -inf, {0}(x) is NaN for x < 0, {0}(inf) is inf, {0}(NaN) is NaN."

ENTRIES: tuple[Entry, ...] = (
    Entry("log", "The natural logarithm of x.", _LOG.format("log"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log", exact="log(1) is 0; monotone",
          fast=(4.0, 4.0),
          fast_domain="x is not subnormal; the logarithm of a subnormal number is about log(2^-127) "
                      "(f64: log(2^-1023))"),
    Entry("log2", "The logarithm of x to base 2.", _LOG.format("log2"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log2", exact="of powers of 2; monotone",
          fast=(4.0, 4.0),
          fast_domain="x is not subnormal; the logarithm of a subnormal number is about log2(2^-127) "
                      "(f64: log2(2^-1023))"),
    Entry("log10", "The logarithm of x to base 10.", _LOG.format("log10"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log10", exact="of powers of 10; monotone",
          fast=(4.0, 4.0),
          fast_domain="x is not subnormal; the logarithm of a subnormal number is about log10(2^-127) "
                      "(f64: log10(2^-1023))"),
    Entry("log1p", "log(1 + x), precise for small x.",
          "log1p(+0) is +0, log1p(-0) is -0, log1p(-1) is -inf, log1p(x) is NaN for x < -1, log1p(inf) is "
          "inf, log1p(NaN) is NaN.", (1.0, 1.0), ((-1, 3), (-1, 3)), numpy="log1p", exact="monotone",
          fast=(4.0, 4.0), fast_domain="everywhere; log1p(-0) is +0"),
    Entry("pow", "x to the power of y.",
          "The cases of C23, F.10.4.5: pow(x, 0) and pow(1, y) are 1 even for NaN, pow(-1, inf) is 1; "
          "pow(x, y) is NaN for a finite x < 0 and a finite y that is no integer; zeros and infinities "
          "of x keep their sign where y is odd.",
          (1.0, 1.0), ((0, 8), (0, 8)), arguments=2, numpy="power",
          exact="where the result is a number of the type; pow(x, 2) is x * x",
          fast=(4.0, 4.0),
          fast_domain="x is not subnormal, the result is 2^-125 or more (f64: 2^-512 to 2^512, beyond up "
                      "to 6 ULP); results smaller than 2^-125 (f64: 2^-1021) are 0"),
    Entry("powi", "x to the power of an integer n.",
          "powi(x, 0) is 1 even for NaN; powi(+0, n) and powi(-0, n) are infinite for n < 0; zeros and "
          "infinities of x keep their sign where n is odd.",
          (1.0, 1.0), ((-4, 4), (-4, 4)), arguments=2, integer=True, integers=(-60, 60), numpy="power",
          exact="where the result is a number of the type; powi(x, 2) is x * x"),
    Entry("rsqrt", "1 / sqrt(x).",
          "rsqrt(+0) is inf, rsqrt(-0) is -inf, rsqrt(x) is NaN for x < 0, rsqrt(inf) is 0, rsqrt(NaN) is "
          "NaN.",
          (1.0, 1.0), ((0, 4), (0, 4)), exact="of even powers of 2"),
    Entry("cbrt", "The cube root of x.",
          "cbrt(+0) is +0, cbrt(-0) is -0, cbrt(inf) is inf, cbrt(-inf) is -inf, cbrt(NaN) is NaN.",
          (1.0, 1.0), ((-8, 8), (-8, 8)), numpy="cbrt", exact="of cubes",
          fast=(4.0, 4.0), fast_domain="x is not subnormal; roots of subnormal numbers are too small"),
    Entry("hypot", "sqrt(x^2 + y^2), without overflow in between.",
          "hypot(inf, y) and hypot(x, -inf) are inf even for NaN; else NaN if one is.",
          (1.0, 1.0), ((-4, 4), (-4, 4)), arguments=2, numpy="hypot",
          exact="hypot(x, 0) is |x|; where the result is a number of the type",
          fast=(4.0, 4.0),
          fast_domain="the larger of |x| and |y| is from 2^-50 to 2^63 (f64: 2^-409 to 2^511); beyond,"
                      " squares are lost or infinite; hypot of an infinity and NaN is NaN"),
    Entry("asinh", "The inverse hyperbolic sine of x.",
          "asinh(+0) is +0, asinh(-0) is -0, asinh(inf) is inf, asinh(-inf) is -inf, asinh(NaN) is NaN.",
          (1.0, 1.0), ((-4, 4), (-4, 4)), numpy="arcsinh",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^126 (f64: 2^1022) or infinite; beyond, the error is up to 0.7"),
    Entry("acosh", "The inverse hyperbolic cosine of x.",
          "acosh(1) is +0, acosh(x) is NaN for x < 1, acosh(inf) is inf, acosh(NaN) is NaN.",
          (1.0, 1.0), ((1, 4), (1, 4)), numpy="arccosh", exact="acosh(1) is 0",
          fast=(4.0, 4.0),
          fast_domain="|x| <= 2^126 (f64: 2^1022) or infinite; beyond, the error is up to 0.7"),
    Entry("atanh", "The inverse hyperbolic tangent of x.",
          "atanh(+0) is +0, atanh(-0) is -0, atanh(1) is inf, atanh(-1) is -inf, atanh(x) is NaN for "
          "|x| > 1, atanh(NaN) is NaN.", (1.0, 1.0), ((-1, 1), (-1, 1)), numpy="arctanh",
          fast=(4.0, 4.0)),
)
