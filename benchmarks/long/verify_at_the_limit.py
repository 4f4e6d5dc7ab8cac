"""Verify modules at the published limits, and print time and memory. Goal: 30 s and 2 GB.

    python benchmarks/long/verify_at_the_limit.py [instructions] [nodes]

Instructions and nodes are built directly: what is measured is the verifier, not the parser.
"""

from __future__ import annotations

import resource
import sys
import time

from hvisa.assembler.parser import parse
from hvisa.graph.model import (
    Argument,
    Constant,
    Instr,
    InternalNode,
    Module,
    NodeDetail,
    Operand,
    Output,
    Region,
    Value,
    instructions,
)
from hvisa.graph.verifier import verify
from hvisa.spec import types as ty
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import ROWS

HEADER = """
leaf @big(%a: f32, in %x: buf<f32>[%n], inout %y: buf<f32>[%n]) grid(%i < %n) {
}
leaf @step(in %x: buf<f32>[%n], inout %y: buf<f32>[%n]) grid(%i < %n) {
  %v = load %x[%i]
  store %v, %y[%i]
}
"""
ONE = Constant(ty.F32, 0x3F800000)
ZERO, FOUR, STEP = (Constant(ty.INDEX, v) for v in (0, 4, 1))


def made(mnemonic: str, *operands: Operand, result: ty.Type | None = None,
         regions: tuple[Region, ...] = ()) -> Instr:
    instr = Instr(ROWS[mnemonic], list(operands), [Value(None, result)] if result else [])
    instr.immediates = tuple(i.default for i in instr.row.immediates)
    instr.regions = regions
    return instr


def fill(module: Module, count: int) -> None:
    """A mix of loads, arithmetic, stores, branches and loops, `count` instructions in all."""
    leaf = module.definitions["big"]
    a, x, y = (p.value for p in leaf.ports)
    index = leaf.ids[0]
    body: list[Instr] = []
    last: Operand = a
    total = 0
    while total < count - 12:
        load = made("load", x, index, result=ty.F32)
        product = made("mul", load.results[0], a, result=ty.F32)
        fused = made("fma", product.results[0], a, last, result=ty.F32)
        compare = made("lt", fused.results[0], ONE, result=ty.I1)
        negated = made("neg", fused.results[0], result=ty.F32)
        branch = made("if", compare.results[0], result=ty.F32, regions=(
            Region([], [negated, made("yield", negated.results[0])]),
            Region([], [made("yield", fused.results[0])])))
        carried = Value(None, ty.F32)
        added = made("add", carried, a, result=ty.F32)
        loop = made("for", ZERO, FOUR, STEP, branch.results[0], result=ty.F32, regions=(
            Region([Value(None, ty.INDEX), carried], [added, made("yield", added.results[0])]),))
        loop.uniform = (3,)
        last = loop.results[0]
        body += [load, product, fused, compare, branch, loop, made("store", last, y, index)]
        total += 12
    body.append(made("yield"))
    assert leaf.body is not None
    leaf.body.body = body


def graph(module: Module, count: int) -> None:
    """A chain of `count` nodes."""
    found = InternalNode("chain")
    leaf = module.definitions["step"]
    from hvisa.graph.model import Port
    shape = leaf.ports[0].type
    found.symbols["n"] = Value("n", ty.INDEX)
    found.ports = [Port(Value("x", shape), 1), Port(Value("y", shape), 3)]
    last = found.ports[1].value
    body: list[Instr] = []
    for _ in range(count):
        node = Instr(ROWS["node"], [found.ports[0].value, last], [Value(None, shape)])
        node.callee = "step"
        node.detail = NodeDetail((), [], [Argument(), Argument()], [Output()])
        last = node.results[0]
        body.append(node)
    body.append(Instr(ROWS["yield"], [last], []))
    found.body = Region([], body)
    module.definitions["chain"] = found


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LIMITS["instructions"].value
    nodes = int(sys.argv[2]) if len(sys.argv) > 2 else LIMITS["nodes"].value
    module = parse(HEADER)
    fill(module, count)
    graph(module, nodes)
    real = sum(1 for d in module.definitions.values() if d.body for _ in instructions(d.body))
    print(f"built {real} instructions, {peak_mb():.0f} MB")
    start = time.perf_counter()
    verify(module)
    seconds = time.perf_counter() - start
    print(f"verified in {seconds:.1f} s, {real / seconds:.0f} instructions/s, {peak_mb():.0f} MB")


if __name__ == "__main__":
    main()
