"""crc16: the checksum of bytes, one bit after the other with the reflected polynomial 0x8408, inverted and
its bytes swapped at the end. One instance walks along the data."""

from __future__ import annotations

from typing import Any

import numpy as np

import hvisa
from hvisa import In, u8, u16


@hvisa.leaf
def crc16(data: In[u8, "n"]) -> u16:
    crc = u16(0xFFFF)
    for i in range(data.shape[0]):
        crc = crc ^ data[i]
        for _ in range(8):
            crc = (crc >> 1) ^ (0x8408 if crc & 1 != 0 else 0)
    crc = ~crc
    return (crc << 8) | (crc >> 8)


def reference(data: np.ndarray) -> Any:
    crc = 0xFFFF
    for byte in data.tolist():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
    crc ^= 0xFFFF
    return np.uint16((crc << 8 | crc >> 8) & 0xFFFF)


def inputs(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    return (rng.integers(0, 256, size * size, dtype=np.uint8),)
