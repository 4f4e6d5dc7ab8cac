"""A fast variant of erf.

For x >= 0, erf(x) = 1 - exp(x p(x)), in which x p(x) is near the logarithm of erfc(x): one polynomial
serves from 0 to where erf is 1, and exp(y) - 1 is found as it stands, so that small results are precise.
Errors of the exponent count the less the larger x is, since erfc(x) is small then.
"""

# The functions serve f32 and f64.
# pyright: reportMissingParameterType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hvisa import f32, f64
from hvisa.library.mathematics.declare import private, public
from hvisa.library.mathematics.exponential_coefficients import EXP_F32, EXP_F64
from hvisa.library.mathematics.fast_coefficients import LOG_ERFC_F32, LOG_ERFC_F64
from hvisa.library.mathematics.fast_exponential import expm1
from hvisa.library.mathematics.formats import F32, F64, Format, polynomial, signs
from hvisa.library.mathematics.special import ONE_F32, ONE_F64


def error_function(format_: Format, coefficients: Sequence[float], exponential: Sequence[float],
                   most: float) -> Any:
    """A function: erf(x)."""
    number, with_sign = format_.number, signs(format_)
    logarithm, less_one = polynomial(format_, coefficients), expm1(format_, exponential, 0)

    @private
    def erf(x):
        a = min(abs(x), number(most))
        return with_sign(abs(less_one(a * logarithm(a))), x)
    return erf


ERF_F32 = error_function(F32, LOG_ERFC_F32, EXP_F32, float(ONE_F32))
ERF_F64 = error_function(F64, LOG_ERFC_F64, EXP_F64, ONE_F64)


@public(fast=True)
def erf_f32_fast(x: f32) -> f32:
    """The error function of x."""
    return ERF_F32(x)


@public(fast=True)
def erf_f64_fast(x: f64) -> f64:
    """The error function of x."""
    return ERF_F64(x)
