"""Broken modules of every kind end in HvisaError: what a wrong builder or decoder may hand over."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from hvisa.assembler.parser import parse
from hvisa.diagnostics import Diagnostic, HvisaError
from hvisa.graph.model import (
    Argument,
    Constant,
    Definition,
    DimValue,
    GlobalRef,
    Instr,
    Literal,
    Module,
    NodeDetail,
    Output,
    Region,
    Value,
    instructions,
)
from hvisa.graph.verifier import verify
from hvisa.spec import dimensions as dims, types as ty
from hvisa.spec.table import ROWS

GOLDEN = Path(__file__).parent.parent / "golden"
MUTATIONS = 3000
TYPES = [ty.F32, ty.INDEX, ty.I1, ty.vector(ty.F32, 4), ty.ERROR, ty.stream(ty.F32),
         ty.buffer(ty.F32, (dims.symbol("n"),)), ty.buffer(ty.I32, ()),
         ty.buffer(ty.I32, (dims.symbol("f"),), dims.symbol("n")),
         ty.buffer(ty.F32, (dims.constant(-1), dims.floordiv(dims.symbol("n"), dims.symbol("zz")))),
         ty.grid(ty.F32, (dims.symbol("n"),)), ty.stream(ty.buffer(ty.F32, (dims.symbol("n"),)))]


def texts() -> list[str]:
    """Golden programs that parse. Sound ones come often, so that one mutation is what is wrong."""
    found: list[str] = []
    for path in sorted(GOLDEN.rglob("*.hvasm")):
        try:
            module = parse(path.read_text(encoding="utf-8"), errors=[])
        except HvisaError:
            continue
        if not module.definitions:
            continue
        sound = "// error:" not in path.read_text(encoding="utf-8")
        found += [path.read_text(encoding="utf-8")] * (20 if sound else 1)
    return found


def all_instructions(module: Module) -> list[Instr]:
    """The first ones of each definition: a mutant's region may hold itself."""
    return [i for d in module.definitions.values() if d.body is not None
            for i in islice(instructions(d.body), 200)]


def all_values(module: Module) -> list[Value]:
    values = [v for i in all_instructions(module) for v in i.results]
    for definition in module.definitions.values():
        values += [p.value for p in definition.ports] + definition.ids
        values += definition.symbols.values()
    return values


def some_operand(rng: random.Random, module: Module) -> object:
    return rng.choice([
        lambda: rng.choice(all_values(module)), lambda: Value(None, ty.F32),
        lambda: Constant(ty.I8, 1 << 40), lambda: Constant(ty.INDEX, 3), lambda: Literal("x"),
        lambda: Literal("7"), lambda: DimValue(dims.symbol("nowhere")),
        lambda: DimValue(dims.symbol("i") * 4), lambda: GlobalRef("nothing", ty.F32),
        lambda: None])()


# -- mutations -------------------------------------------------------------------------------------

def change_instruction(rng: random.Random, module: Module, instr: Instr) -> None:
    values = all_values(module)
    regions = [r for i in all_instructions(module) for r in i.regions] or [Region()]
    changes: list[Callable[[], object]] = [
        lambda: setattr(instr, "row", rng.choice(list(ROWS.values()))),
        lambda: setattr(instr, "immediates", tuple(rng.choice([0, 1, 99, -1, "x", (1,)])
                                                   for _ in range(rng.randint(0, 3)))),
        lambda: setattr(instr, "offsets", tuple(rng.choice([0, 1, 1 << 40])
                                                for _ in range(rng.randint(0, 3)))),
        lambda: setattr(instr, "fast", rng.choice([1, 127, 999])),
        lambda: setattr(instr, "uniform", tuple(rng.randint(0, 5)
                                                for _ in range(rng.randint(0, 3)))),
        lambda: setattr(instr, "callee", rng.choice([*module.definitions, "nothing", None])),
        lambda: setattr(instr, "detail", rng.choice([
            None, (), (dims.symbol("q"),), ((dims.symbol("n"), dims.constant(1)),),
            (dims.symbol("n"), dims.symbol("m")), NodeDetail((), [], [], []),
            NodeDetail((dims.symbol("n"),), [Value("z", ty.INDEX)],
                       [Argument(box=((dims.symbol("z"), dims.constant(2)),))
                        for _ in instr.operands], [Output(form=1) for _ in instr.results])])),
        lambda: setattr(instr, "type_argument", rng.choice(TYPES)),
        lambda: setattr(instr, "regions", rng.choice([
            (), instr.regions[:1], instr.regions * 2, (rng.choice(regions),)])),
        lambda: instr.operands.append(some_operand(rng, module)),
        lambda: instr.operands and instr.operands.pop(rng.randrange(len(instr.operands))),
        lambda: instr.operands and instr.operands.__setitem__(
            rng.randrange(len(instr.operands)), some_operand(rng, module)),
        lambda: instr.results.append(rng.choice([Value(None, ty.F32), rng.choice(values)])),
        lambda: instr.results and instr.results.pop(),
        lambda: instr.results and setattr(rng.choice(instr.results), "type", rng.choice(TYPES)),
        lambda: instr.results and setattr(rng.choice(instr.results), "name",
                                          rng.choice([None, "a b", "i", "n"])),
        lambda: instr.regions and rng.choice(instr.regions).parameters.append(Value("p", ty.F32)),
        lambda: instr.regions and rng.choice(instr.regions).body.clear(),
        lambda: instr.regions and rng.choice(instr.regions).body.append(instr)]
    rng.choice(changes)()


def change_body(rng: random.Random, body: list[Instr]) -> None:
    if not body:
        return
    at = rng.randrange(len(body))
    rng.choice([lambda: body.pop(at), lambda: body.insert(at, body[-1]), body.reverse,
                lambda: body.append(body[at]), lambda: rng.shuffle(body)])()


def change_header(rng: random.Random, module: Module, definition: Definition) -> None:
    port = rng.choice(definition.ports) if definition.ports else None
    changes: list[Callable[[], object]] = [
        lambda: setattr(definition, "effect", rng.choice([0, 1, 2, 7])),
        lambda: setattr(definition, "name", rng.choice(["x", "", "a b"])),
        lambda: setattr(definition, "grid", (*definition.grid, dims.symbol("i"))),
        lambda: definition.ids.append(Value("extra", ty.F32)),
        lambda: definition.symbols.clear(),
        lambda: definition.symbols.__setitem__("more", Value("less", ty.INDEX)),
        lambda: definition.results.append(rng.choice(TYPES)),
        lambda: definition.result_names.append("r"),
        lambda: setattr(definition, "body", rng.choice([None, Region()]))]
    if port is not None:
        changes += [
            lambda: setattr(port, "direction", rng.choice([0, 1, 2, 3, 9])),
            lambda: setattr(port, "mode", rng.choice([0, 1, 2, 3, 9])),
            lambda: setattr(port, "operator", rng.choice([0, 3, 9])),
            lambda: setattr(port.value, "type", rng.choice(TYPES)),
            lambda: setattr(port.value, "name", rng.choice([None, "n", "i", "a-b"])),
            lambda: setattr(port, "source", rng.choice(["x", "nothing", None])),
            lambda: setattr(port, "count", rng.choice([0, 4, 1 << 40])),
            lambda: definition.ports.remove(port),
            lambda: definition.ports.append(port)]
    rng.choice(changes)()


def mutate(rng: random.Random, module: Module) -> None:
    definition = rng.choice(list(module.definitions.values()))
    everything = all_instructions(module)
    kind = rng.random()
    if kind < 0.6 and everything:
        change_instruction(rng, module, rng.choice(everything))
    elif kind < 0.8 and definition.body is not None:
        change_body(rng, definition.body.body)
    else:
        change_header(rng, module, definition)


def test_broken_modules_are_refused_or_valid() -> None:
    rng = random.Random(4711)
    sources = texts()
    counts = {"valid": 0, "refused": 0}
    codes: set[str] = set()
    for number in range(MUTATIONS):
        types: list[Diagnostic] = []
        module = parse(rng.choice(sources), f"mutant {number}", types)
        for _ in range(rng.randint(1, 3)):
            mutate(rng, module)
        try:
            verify(module, extra=types if rng.random() < 0.5 else ())
            counts["valid"] += 1
        except HvisaError as error:
            counts["refused"] += 1
            codes.update(error.codes)
            assert str(error)
    print(counts, len(codes), "codes")
    assert min(counts.values()) > MUTATIONS // 50
    assert len(codes) > 30


def test_empty_module_and_declarations() -> None:
    assert verify(Module()).order == ()
    facts = verify(parse('import "m" leaf @f(in %x: buf<f32>[%n]) grid(%i < %n) inexact\n'
                         "graph @g(in %x: buf<f32>[%n]) inexact {\n  node @f(%x)\n}\n"))
    assert facts["g"].effect == 1
