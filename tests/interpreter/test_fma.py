"""fma of f64 on numbers near ties and near cancellation, against exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from hvisa.spec import numerics, types as ty
from tests.conformance import oracle

COUNT = 400


def _numbers(generator: np.random.Generator, bits: int, spread: int) -> np.ndarray:
    whole = generator.integers(1 << (bits - 1), 1 << bits, COUNT).astype(np.float64)
    sign = generator.choice([-1.0, 1.0], COUNT)
    return np.ldexp(whole * sign, generator.integers(-spread, spread, COUNT) - bits)


@pytest.mark.parametrize("bits, spread", [(53, 2), (53, 60), (27, 3), (6, 60), (53, 600)])
def test_fma_f64(bits: int, spread: int) -> None:
    generator = np.random.default_rng(bits * 1000 + spread)
    a, b, c = (_numbers(generator, bits, spread) for _ in range(3))
    with np.errstate(all="ignore"):
        product = a * b
        addends = [c, -product, np.nextafter(-product, 0), product * 2.0 ** 53,
                   np.nextafter(product, 0) * 2.0 ** -53, np.zeros(COUNT)]
        for addend in addends:
            found = numerics.fma(a, b, addend, ty.F64)
            for row in zip(a, b, addend, found, strict=True):
                x, y, z = (oracle.decode(int(v.view(np.uint64)), "f64") for v in row[:3])
                wanted = oracle.encode(oracle.FLOAT["fma"](x, y, z), "f64")
                assert int(numerics.canonical_bits(row[3][np.newaxis])[0]) == wanted, row
