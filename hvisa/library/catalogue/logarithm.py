"""What log and its kin promise, and the powers."""

from __future__ import annotations

from hvisa.library.catalogue.entry import Entry

_LOG = "{0}(+0) and {0}(-0) are -inf, {0}(x) is NaN for x < 0, {0}(inf) is inf, {0}(NaN) is NaN."

ENTRIES: tuple[Entry, ...] = (
    Entry("log", "The natural logarithm of x.", _LOG.format("log"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log", exact="log(1) is 0; monotone"),
    Entry("log2", "The logarithm of x to base 2.", _LOG.format("log2"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log2", exact="of powers of 2; monotone"),
    Entry("log10", "The logarithm of x to base 10.", _LOG.format("log10"), (1.0, 1.0), ((0, 4), (0, 4)),
          numpy="log10", exact="of powers of 10; monotone"),
    Entry("log1p", "log(1 + x), precise for small x.",
          "log1p(+0) is +0, log1p(-0) is -0, log1p(-1) is -inf, log1p(x) is NaN for x < -1, log1p(inf) is "
          "inf, log1p(NaN) is NaN.", (1.0, 1.0), ((-1, 3), (-1, 3)), numpy="log1p", exact="monotone"),
    Entry("asinh", "The inverse hyperbolic sine of x.",
          "asinh(+0) is +0, asinh(-0) is -0, asinh(inf) is inf, asinh(-inf) is -inf, asinh(NaN) is NaN.",
          (1.0, 1.0), ((-4, 4), (-4, 4)), numpy="arcsinh"),
    Entry("acosh", "The inverse hyperbolic cosine of x.",
          "acosh(1) is +0, acosh(x) is NaN for x < 1, acosh(inf) is inf, acosh(NaN) is NaN.",
          (1.0, 1.0), ((1, 4), (1, 4)), numpy="arccosh", exact="acosh(1) is 0"),
    Entry("atanh", "The inverse hyperbolic tangent of x.",
          "atanh(+0) is +0, atanh(-0) is -0, atanh(1) is inf, atanh(-1) is -inf, atanh(x) is NaN for "
          "|x| > 1, atanh(NaN) is NaN.", (1.0, 1.0), ((-1, 1), (-1, 1)), numpy="arctanh"),
)
