"""What the random numbers promise: `docs/spec/random.md` is made from this, tests hold it.

Their arguments are numbers of elements and seeds, not points of a range, so they have rows of their own.
"""

from __future__ import annotations


class RandomEntry:
    """One function, for some types. `bound` is the error in ULP, 0 where every bit is stated; `mean` and
    `variance` are those of the distribution, None of bits."""

    __slots__ = ("bound", "mean", "name", "summary", "types", "variance")

    def __init__(self, name: str, types: str, summary: str, *, bound: float = 0.0,
                 mean: float | None = None, variance: float | None = None):
        self.name = name
        self.types = types.split()
        self.summary = summary
        self.bound = bound
        self.mean = mean
        self.variance = variance


ENTRIES: tuple[RandomEntry, ...] = (
    RandomEntry("philox4x32", "", "The block of four words of a counter (c0 to c3) and a key (k0, k1)."),
    RandomEntry("random_bits", "u32 u64", "Word `index` of 32 or 64 bits."),
    RandomEntry("random_uniform", "f32 f64", "Uniform in [0, 1): the first 24 or 53 bits of word `index`, "
                "as a multiple of 2^-24 or 2^-53. It is never 1.", mean=1 / 2, variance=1 / 12),
    RandomEntry("random_normal", "f32 f64", "Normal with mean 0 and variance 1, by Box and Muller.",
                bound=4.0, mean=0.0, variance=1.0),
    RandomEntry("random_uniform4", "f32", "Elements 4 `block` to 4 `block` + 3 of `random_uniform.f32`.",
                mean=1 / 2, variance=1 / 12),
    RandomEntry("random_normal4", "f32", "Elements 4 `block` to 4 `block` + 3 of `random_normal.f32`.",
                bound=4.0, mean=0.0, variance=1.0),
)
RANDOM_CATALOGUE: dict[str, RandomEntry] = {e.name: e for e in ENTRIES}
