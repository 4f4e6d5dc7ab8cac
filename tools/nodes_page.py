"""Writes docs/spec/nodes.md, the library nodes: `python tools/nodes_page.py [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from hvisa.assembler.printer import print_module  # noqa: E402
from hvisa.library.standard import standard_module  # noqa: E402
from hvisa.spec import types as ty  # noqa: E402
from hvisa.spec.families import FAMILIES, MEANINGS, node_names  # noqa: E402

PAGE = ROOT / "docs" / "spec" / "nodes.md"
HEAD = """# Library nodes, version 1

Made by `tools/nodes_page.py`; do not edit.

Graphs and leaves over whole buffers, written in the instruction set itself, each the same bits on every device. There is a
module for each family and element type, such as `sort.f32`, and each name carries the type: `@argsort.f32`. A program that
imports one says `math 1`, the version of the whole standard library:

```
math 1
import "scan.f32" private graph @scan_add.f32(in %x: buf<f32>[%n], out %y: buf<f32>[%n])

graph @running(in %x: buf<f32>[%n], out %y: buf<f32>[%n]) {
  %s = node @scan_add.f32(%x)
  yield %s
}
```

In Python, in a `@hvisa.graph`: `hvisa.scan("add", x, exclusive=True)`, `np.cumsum(x)`, `np.cumprod(x)`, `np.sort(x)`, `np.argsort(x)`,
`hvisa.sort_pairs(keys, values)`, `x[places]` or `np.take(x, places)`, `x[x > 0]` or `hvisa.compact(x, x > 0)`, `np.flatnonzero(keep)`,
`hvisa.bincount(x, bins)`, `hvisa.histogram(x, bins, low, high)`; reductions are array expressions there (`np.sum(x, axis=0)`).
Arrays have one axis; places count from 0, and one outside is a trap (HV0902). Types that a family lacks go through a wide one,
and back.

## Order of floating-point operations

**reduce**: that of the instruction `reduce` (semantics 11): blocks of 4096 elements, 64 partial results in each, blocks joined
pairwise. f16 and bf16 are added and multiplied as f32 and rounded once.

**scan**: a buffer is cut into blocks of 1024 elements, a block into groups of 16, the last ones perhaps shorter.

1. In a group, for h = 1, 2, 4, 8: `s[j] = s[j - h] op s[j]` for all j >= h at once.
2. `s[j] = c op s[j]`, where `c` is the last element after this step of the group before. The first group of a block stays.
3. `y[i] = o op s[i]`, where `o` is the last `y` of the block before. The first block stays.

The exclusive scan gives `y` one place later, and begins with +0, 1, the greatest or the least number.

**histogram**: `k = min(trunc((v - low) * (bins / (high - low))), bins - 1)`; one less if `v < e(k)`; then one more if that is
not the last class and `v >= e(k + 1)`. Here `e(k) = low + k * ((high - low) / bins)` and `e(bins) = high`. All in the element
type.

**sort**, **compact**, **bincount** do no arithmetic on elements.

"""


def header(family: str, type_: ty.ScalarType, name: str) -> str:
    """How a node is declared."""
    text = print_module(standard_module(f"{family}.{type_}", 1))
    start = next(i for i, line in enumerate(text.splitlines()) if f"@{name}(" in line and "private" not in line)
    lines = " ".join(line.strip() for line in text.splitlines()[start:start + 4])
    return lines[:lines.index(" {")]


def page() -> str:
    parts = [HEAD]
    for family, found in FAMILIES.items():
        types = ", ".join(f"`{t}`" for t in found.types)
        parts.append(f"## {family}\n\nElement types: {types}.\n\n| node | meaning |\n|---|---|\n")
        shown = [ty.F32, ty.I32, ty.I1]
        seen: set[str] = set()
        for type_ in (t for t in shown if t in found.types):
            for name in node_names(family, type_):
                word = name.rpartition(".")[0]
                if word not in seen:
                    seen.add(word)
                    parts.append(f"| `{header(family, type_, name)}` | {MEANINGS[word]} |\n")
        parts.append("\n")
    return "".join(parts).rstrip() + "\n"


def is_current() -> bool:
    return PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()


def main() -> int:
    if "--check" in sys.argv[1:]:
        print("current" if is_current() else f"{PAGE} is out of date: run tools/nodes_page.py")
        return 0 if is_current() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
