"""Random numbers: known answers, the page's definition word by word, statistics, errors, equal bits."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

import mpmath as mp

from hvisa.frontends.python.names import RANDOM
from hvisa.library.catalogue.random import RANDOM_CATALOGUE
from hvisa.library.oracles import random as oracle
from tools import random_page
from tools.ulp import compiled, spacing

PAIRS = [(e.name, t) for e in RANDOM_CATALOGUE.values() for t in e.types or [""]]
ELEMENTS = [(name, t) for name, t in PAIRS if RANDOM[name].typed]
SAMPLED = [(name, t) for name, t in PAIRS if RANDOM_CATALOGUE[name].mean is not None]
FLOATS = ["f32", "f64"]
DTYPES = {"f32": np.float32, "f64": np.float64, "u32": np.uint32, "u64": np.uint64}
COUNT = 1 << 16


@functools.cache
def function(name: str, type_: str, device: str = "x86") -> Any:
    return compiled(name, type_, device)


def elements(name: str, type_: str, seed: Any, stream: Any, numbers: Any,
             device: str = "x86") -> np.ndarray:
    """Elements of numbers; those that blocks give in order."""
    columns = np.broadcast_arrays(*(np.asarray(v, np.uint64) for v in (seed, stream, numbers)))
    found = function(name, type_, device)(*(np.ascontiguousarray(c) for c in columns))
    return found[0] if len(found) == 1 else np.stack(found, axis=1).ravel()


@functools.cache
def sample(name: str, type_: str, seed: int = 11, stream: int = 0) -> np.ndarray:
    numbers = np.arange(COUNT, dtype=np.uint64)
    return elements(name, type_, seed, stream, numbers if RANDOM[name].typed else numbers[:COUNT // 4])


def test_every_function_is_in_the_catalogue() -> None:
    assert set(RANDOM) == set(RANDOM_CATALOGUE)
    assert all([t.name for t in f.types] == RANDOM_CATALOGUE[n].types for n, f in RANDOM.items())
    assert random_page.is_current(), "run tools/random_page.py"


# -- bits --------------------------------------------------------------------------------------------

# `kat_vectors` of Random123, by the authors of the paper, philox4x32 with 10 rounds: counter, key, block.
KNOWN = ["00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
         "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd",
         "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1"]


@pytest.mark.parametrize("device", ["reference", "x86", "multicore"])
def test_known_answers(device: str) -> None:
    words = np.array([[int(w, 16) for w in line.split()] for line in KNOWN], np.uint32)
    found = function("philox4x32", "", device)(*(np.ascontiguousarray(words[:, k]) for k in range(6)))
    np.testing.assert_array_equal(np.stack(found, axis=1), words[:, 6:])
    for line in words.tolist():
        assert oracle.philox4x32(tuple(line[:4]), tuple(line[4:6])) == tuple(line[6:])
        assert oracle.counter_of(tuple(line[6:]), tuple(line[4:6])) == tuple(line[:4])


LARGE = (0, 1, 2, 3, 4, 7, (1 << 32) - 1, 1 << 32, (1 << 34) + 1, (1 << 63) + 5, (1 << 64) - 1)


@pytest.mark.parametrize(("name", "type_"), [p for p in ELEMENTS if "normal" not in p[0]])
def test_elements_are_what_the_page_says(name: str, type_: str) -> None:
    """All combinations of seeds, streams and indices around the words' borders."""
    points = list(itertools.product(LARGE, LARGE[:7:3] + LARGE[7:], LARGE))
    seeds, streams, numbers = (np.array(c, np.uint64) for c in zip(*points, strict=True))
    found = elements(name, type_, seeds, streams, numbers)
    width = int(type_[1:])
    words = [oracle.bits(*point, width) for point in points]
    kept = 24 if width == 32 else 53
    wanted = words if name == "random_bits" else [(w >> (width - kept)) / (1 << kept) for w in words]
    np.testing.assert_array_equal(found, np.array(wanted, DTYPES[type_]))


@pytest.mark.parametrize("name", ["random_uniform", "random_normal"])
def test_blocks_have_the_bits_of_elements(name: str) -> None:
    for seed, stream, first in ((0, 0, 0), (1 << 63, (1 << 64) - 3, (1 << 62) - 64), (5, 1 << 32, 1 << 30)):
        blocks = np.arange(first, first + 64, dtype=np.uint64)
        numbers = (4 * blocks[:, None] + np.arange(4, dtype=np.uint64)).ravel()
        assert elements(f"{name}4", "f32", seed, stream, blocks).tobytes() == \
            elements(name, "f32", seed, stream, numbers).tobytes()


@pytest.mark.parametrize(("name", "type_"), [p for p in PAIRS if p[1]])
def test_equal_bits(name: str, type_: str) -> None:
    numbers = np.concatenate([np.arange(200, dtype=np.uint64), np.array(LARGE, np.uint64)])
    wanted = elements(name, type_, 1 << 40, 3, numbers, "reference")
    for device in ("x86", "multicore"):
        assert elements(name, type_, 1 << 40, 3, numbers, device).tobytes() == wanted.tobytes(), device


# -- errors of normal numbers ------------------------------------------------------------------------

def worst_error(type_: str, words: list[tuple[int, int]], found: np.ndarray) -> float:
    """The largest error in ULP of the pairs of numbers that pairs of words give."""
    worst, dtype = 0.0, DTYPES[type_]
    for (first, second), pair in zip(words, found.reshape(-1, 2), strict=True):
        for value, exact in zip(pair, oracle.normal_pair(first, second, int(type_[1:])), strict=True):
            if exact == 0:
                worst = worst if value == dtype(0) else math.inf
            else:
                worst = max(worst, float(abs(mp.mpf(float(value)) - exact) / spacing(exact, type_)))
    return worst


@pytest.mark.parametrize("type_", FLOATS)
def test_errors_of_normal_numbers(type_: str) -> None:
    count = 2_000
    words = elements("random_bits", f"u{type_[1:]}", 99, 1, np.arange(2 * count)).reshape(-1, 2)
    found = elements("random_normal", type_, 99, 1, np.arange(2 * count))
    pairs = [(int(a), int(b)) for a, b in words]
    assert 0.4 < worst_error(type_, pairs, found) <= RANDOM_CATALOGUE["random_normal"].bound


def test_low_parts_count() -> None:
    """A million numbers of f32 by numpy's f64: without the low parts of the angle errors are above 2.5."""
    numbers = np.arange(1 << 20)
    words = elements("random_bits", "u32", 0, 5, numbers).reshape(-1, 2)
    found = elements("random_normal", "f32", 0, 5, numbers).reshape(-1, 2)
    u = words[:, 0].astype(np.float32) * 2.0**-32 + np.float64(2.0**-33)
    radius = np.sqrt(-2 * np.log(u.astype(np.float32).astype(np.float64)))
    angle = words[:, 1] * (2 * np.pi / 2**32)
    for column, exact in ((0, radius * np.cos(angle)), (1, radius * np.sin(angle))):
        error = np.abs(found[:, column] - exact) / np.spacing(np.abs(exact).astype(np.float32))
        assert error[np.abs(exact) > 1e-5].max() < 2.4


def placed(block: oracle.Words, least_zeros: int) -> tuple[int, int, int]:
    """A seed, stream and block number that have a block, whose number is so small that an index fits."""
    for seed in range(1_000):
        c0, c1, c2, c3 = oracle.counter_of(block, (seed, 0))
        if c1 >> (32 - least_zeros) == 0:
            return seed, c3 << 32 | c2, c1 << 32 | c0
    raise AssertionError("no seed of the first thousand")


def edges(width: int) -> list[int]:
    """Words whose u is next to 0 or 1, or whose angle is next to a multiple of an eighth of a turn."""
    whole = 1 << width
    near = [0, 1, 2, 255, 256, (1 << (width // 2)) + 1]
    return [(eighth * whole // 8 + sign * d) % whole for eighth in range(8) for d in near
            for sign in (1, -1)]


@pytest.mark.parametrize("type_", FLOATS)
def test_edges_of_normal_numbers(type_: str) -> None:
    """Words at the borders, for which the cipher is undone to find the counter that has them."""
    width = int(type_[1:])
    rng = np.random.default_rng(4)
    found = edges(width)
    mixed = [found[n] for n in rng.permutation(len(found))]
    pairs = [*zip(found, mixed, strict=True), *((v, 12345) for v in found), *((98765, v) for v in found)]
    points: list[tuple[int, int, int]] = []
    for first, second in pairs:
        block = (first, second, 0, 0) if width == 32 else (
            first & oracle.MASK, first >> 32, second & oracle.MASK, second >> 32)
        seed, stream, number = placed(block, 2 if width == 32 else 1)
        points += [(seed, stream, (4 if width == 32 else 2) * number + k) for k in range(2)]
    columns = (np.array(c, np.uint64) for c in zip(*points, strict=True))
    values = elements("random_normal", type_, *columns)
    assert np.isfinite(values).all()
    assert worst_error(type_, pairs, values) <= RANDOM_CATALOGUE["random_normal"].bound


@pytest.mark.parametrize(("type_", "radius"), [("f32", math.sqrt(66 * math.log(2))),
                                               ("f64", math.sqrt(130 * math.log(2)))])
def test_the_farthest_normal_number(type_: str, radius: float) -> None:
    seed, stream, number = placed((0, 0, 0, 0), 2)
    first = (4 if type_ == "f32" else 2) * number
    assert elements("random_normal", type_, seed, stream, first + np.arange(2)).tolist() == [
        pytest.approx(radius, rel=1e-6), 0]


# -- statistics --------------------------------------------------------------------------------------

def distribution(name: str, x: np.ndarray) -> np.ndarray:
    """The share of numbers that are below x."""
    return x if "uniform" in name else np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


@pytest.mark.parametrize(("name", "type_"), SAMPLED)
def test_mean_variance_and_distribution(name: str, type_: str) -> None:
    """Each within four standard deviations; Kolmogorov and Smirnov's distance at a level of 0.1 %: A. N.
    Kolmogorov, "Sulla determinazione empirica di una legge di distribuzione", 1933."""
    entry, x = RANDOM_CATALOGUE[name], sample(name, type_).astype(np.float64)
    assert entry.mean is not None and entry.variance is not None
    fourth = 1 / 80 if "uniform" in name else 3.0
    spread = math.sqrt((fourth - entry.variance**2) / COUNT)
    assert abs(x.mean() - entry.mean) < 4 * math.sqrt(entry.variance / COUNT)
    assert abs(((x - entry.mean)**2).mean() - entry.variance) < 4 * spread
    below = distribution(name, np.sort(x))
    steps = np.arange(COUNT + 1) / COUNT
    distance = max((steps[1:] - below).max(), (below - steps[:-1]).max())
    assert math.sqrt(COUNT) * distance < 1.95


@pytest.mark.parametrize(("name", "type_"), SAMPLED)
def test_neighbours_are_not_correlated(name: str, type_: str) -> None:
    """Neighbouring seeds, streams and indices, and seeds and streams that differ in one high bit."""
    x = sample(name, type_)
    others = [sample(name, type_, 12), sample(name, type_, 11, 1), sample(name, type_, 11 + (1 << 63)),
              sample(name, type_, 11, 1 << 63), sample(name, type_, 0, 11), np.roll(x, 1), np.roll(x, 2)]
    for number, other in enumerate(others):
        for a, b in ((x, other), (x * x, other * other)):
            assert abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(COUNT), number


@pytest.mark.parametrize("type_", ["u32", "u64"])
def test_each_bit_is_set_half_of_the_time(type_: str) -> None:
    x = sample("random_bits", type_)
    for bit in range(int(type_[1:])):
        share = ((x >> DTYPES[type_](bit)) & DTYPES[type_](1)).mean()
        assert abs(share - 0.5) < 5 * 0.5 / math.sqrt(COUNT), bit
    assert len(np.unique(x)) == COUNT if type_ == "u64" else len(np.unique(x)) > COUNT - 10


@pytest.mark.parametrize("type_", FLOATS)
def test_tails(type_: str) -> None:
    x = np.abs(sample("random_normal", type_))
    for far in (1, 2, 3):
        expected = COUNT * math.erfc(far / math.sqrt(2))
        assert abs((x > far).sum() - expected) < 4 * math.sqrt(expected)
    assert x.max() > 4


@pytest.mark.parametrize("type_", FLOATS)
def test_uniform_is_below_one(type_: str) -> None:
    """Also of the greatest word, and 0 of the least."""
    top = oracle.MASK
    for block, wanted in (((top,) * 4, 1 - 2.0**(-24 if type_ == "f32" else -53)), ((0,) * 4, 0.0)):
        seed, stream, number = placed(block, 2)
        first = (4 if type_ == "f32" else 2) * number
        assert elements("random_uniform", type_, seed, stream, [first]).tolist() == [wanted]
    assert sample("random_uniform", type_).max() < 1
