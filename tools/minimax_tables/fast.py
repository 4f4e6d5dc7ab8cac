"""Polynomials of the fast variants: longer intervals, so that there are fewer steps around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

from tools.minimax import Entry

TINY = mp.mpf(2)**-60  # keeps weights finite where x is 0
LOG_LOW, LOG_HIGH = 2**-0.5 - 1, 2**0.5 - 1
HALF_LN2 = 0.34658
ATANH_HIGH = 0.0294373  # the square of (m - 1) / (m + 1) for m = sqrt 2
TYPES = ("f32", "f64")


def _odd(name: str, f: Callable[[Any], Any], high: float, counts: tuple[int, int]) -> list[Entry]:
    """f(x) = x + x^3 p(x^2); errors are relative to f."""
    def tail(z: Any) -> Any:
        s = mp.sqrt(z)
        return (f(s) - s) / (z * s)

    def weight(z: Any) -> Any:
        s = mp.sqrt(z)
        return f(s) / (z * s + TINY)
    return [Entry(name, tail, 0.0, high, range(n), t, weight) for n, t in zip(counts, TYPES, strict=True)]


def _power(name: str, base: Any, half: float, counts: tuple[int, int]) -> list[Entry]:
    """base^r = 1 + r p(r); the weight lets errors be large where r is small."""
    def tail(r: Any) -> Any:
        return mp.expm1(r * mp.log(base)) / r

    def weight(r: Any) -> Any:
        return mp.power(base, r) / (abs(r) + TINY)
    return [Entry(name, tail, -half, half, range(n), t, weight, together=True)
            for n, t in zip(counts, TYPES, strict=True)]


def _logs() -> list[Entry]:
    """log_b(1 + f) = f (1 / ln b + f p(f)) for f32; log_b(m) = s p(s^2), s = (m - 1) / (m + 1), for f64."""
    out: list[Entry] = []
    for name, base in (("log", mp.e), ("log2", mp.mpf(2)), ("log10", mp.mpf(10))):
        def quotient(f: Any, base: Any = base) -> Any:
            return mp.log1p(f) / f / mp.log(base)

        def area(z: Any, base: Any = base) -> Any:
            return 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) / mp.log(base)
        out.append(Entry(name, lambda f, q=quotient, b=base: (q(f) - 1 / mp.log(b)) / f, LOG_LOW, LOG_HIGH,
                         range(8), "f32", lambda f, q=quotient: q(f) / (abs(f) + TINY),
                         together=True))
        out.append(Entry(name, area, 1e-12, ATANH_HIGH, range(8), "f64"))
    return out


def _even_part(z: Any) -> Any:
    """(cosh(x) - 1) / x^2, of z = x^2."""
    return (mp.cosh(mp.sqrt(z)) - 1) / z


def _log_erfc(a: Any) -> Any:
    """log(erfc(a)) / a."""
    return mp.log(mp.erfc(a)) / a


def _log_erfc_weight(a: Any) -> Any:
    """What a relative error of erf(a) is as one of the exponent."""
    return mp.erf(a) / (mp.erfc(a) * a)


TABLE: list[Entry] = [
    *_power("exp", mp.e, HALF_LN2, (5, 10)),
    *_power("exp2", mp.mpf(2), 0.50001, (5, 10)),
    *_power("exp10", mp.mpf(10), 0.15052, (5, 10)),
    # exp(r) = 1 + z e(z) + r (1 + z o(z)), z = r^2.
    *[Entry("even", _even_part, 1e-12, HALF_LN2**2, range(n), t,
            lambda z: mp.cosh(mp.sqrt(z)) / z) for n, t in zip((3, 5), TYPES, strict=True)],
    *_odd("odd", mp.sinh, HALF_LN2**2, (2, 5)),
    *_logs(),
    *_odd("sin", mp.sin, (1.5707963 * 1.003)**2, (4, 7)),
    *_odd("atan", mp.atan, 1.0, (8, 19)),
    *_odd("atanh", mp.atanh, 0.2501**2, (4, 9)),
    *[Entry("log_erfc", _log_erfc, 1e-9, high, range(n), t, _log_erfc_weight)
      for n, t, high in ((8, "f32", 3.95), (22, "f64", 5.95))],
]
