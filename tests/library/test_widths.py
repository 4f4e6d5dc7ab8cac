"""The mathematics has the same bits at every vector width: SSE4.2, AVX2 and what the CPU has.

One graph holds a leaf for each function, so that a type is translated once for each width.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("mpmath")

import hvisa
from hvisa.frontends.python.names import MATHEMATICS
from hvisa.runtime.arguments import bind
from hvisa.runtime.launch import NativeLauncher
from hvisa.spec import types as ty
from hvisa.translators.llvm.cpu import cpu_declines, cpu_options
from tests.conformance.native import make_launcher
from tools.ulp import special_points

NARROWER = {"avx2": ("avx512",), "sse4.2": ("avx", "fma", "f16c", "vaes", "vpclmulqdq", "gfni")}


def features(width: str) -> tuple[str, ...]:
    """The CPU's features without those of wider vectors."""
    return tuple(f for f in cpu_options(False).features if not f[1:].startswith(NARROWER.get(width, "-")))


def program(type_: str) -> Any:
    """Every function of one or two floats, each as a node; integers are whatever the second float gives."""
    leaves: list[str] = ["math 1"]
    outs: list[str] = []
    nodes: list[str] = []
    for name, function in MATHEMATICS.items():
        given, results = (list(map(str, types)) for types in function.signature(ty.BY_NAME[type_]))
        ports = ", ".join(f"%p{n}: {t}" for n, t in enumerate(given))
        leaves.append(f'import "math" private func @{name}.{type_}({ports}) -> ({", ".join(results)})')
        operands = ["%a", "%k" if "i32" in given else "%b"][:len(given)]
        values = ", ".join(f"%r{n}" for n in range(len(results)))
        leaves.append("\n".join([
            f"private leaf @node.{name}(in %x: buf<{type_}>[%n], in %y: buf<{type_}>[%n], "
            + ", ".join(f"out %o{n}: buf<{t}>[%n]" for n, t in enumerate(results)) + ") grid(%i < %n) {",
            "  %a = load %x[%i]", "  %b = load %y[%i]", "  %k = convert i32 %b",
            f"  {values} = call @{name}.{type_}({', '.join(operands)})",
            *(f"  store %r{n}, %o{n}[%i]" for n in range(len(results))), "}"]))
        own = [f"%{name}{n}" for n in range(len(results))]
        nodes.append(f"  {', '.join(own)} = node @node.{name}(%x, %y)")
        outs += [f"out {o}: buf<{t}>[%n]" for o, t in zip(own, results, strict=True)]
    names = ", ".join(o.split()[1].rstrip(":") for o in outs)
    head = ", ".join([f"in %x: buf<{type_}>[%n]", f"in %y: buf<{type_}>[%n]", *(
        o.replace("out %", "out %out_") for o in outs)])
    leaves.append(f"graph @all({head}) {{\n" + "\n".join(nodes) + f"\n  yield {names}\n}}\n")
    return hvisa.load("\n\n".join(leaves))


def points(type_: str) -> dict[str, np.ndarray]:
    """Special values, all exponents, and ordinary numbers."""
    unsigned, dtype = (np.uint32, np.float32) if type_ == "f32" else (np.uint64, np.float64)
    rng = np.random.default_rng(8)
    some = rng.choice(special_points(type_), 300)
    bits = rng.integers(0, np.iinfo(unsigned).max, 700, dtype=unsigned, endpoint=True).view(dtype)
    x = np.concatenate([some, bits, rng.uniform(-10, 10, 1001).astype(dtype)])
    return {"x": x, "y": rng.permutation(x)}


def run(launcher: NativeLauncher, arguments: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    values = launcher.launch(bind(launcher.signature, arguments, None, True))
    found = dict(zip([p.name for p in launcher.signature.written], values, strict=True))
    return {n: np.where(v != v, 1, v.view(f"u{v.itemsize}")) for n, v in found.items()}


@pytest.mark.parametrize(("type_", "width"), [("f32", "sse4.2"), ("f32", "avx2"), ("f64", "avx2")])
def test_bits_are_those_of_the_widest(type_: str, width: str) -> None:
    module = program(type_).module
    if features(width) == cpu_options(False).features:
        pytest.skip(f"this CPU has nothing wider than {width}")
    wanted = run(make_launcher("x86", module, "all", opt_level=3), points(type_))
    found = run(make_launcher("x86", module, "all", opt_level=3, features=features(width)), points(type_))
    assert len(wanted) >= len(MATHEMATICS)
    assert [n for n in wanted if not np.array_equal(wanted[n], found[n])] == []


def test_f64_without_fma_is_declined_by_name() -> None:
    declined = cpu_declines(program("f64").module, "all", features("sse4.2"))
    assert {d.code for d in declined} == {"HV1103"}
    assert "needs a CPU with the feature `fma`" in declined[0].message
