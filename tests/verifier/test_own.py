"""`own` and coverage are sound: what is accepted is played through by brute force on small
sizes."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import pytest

from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError
from hvisa.graph.verifier import verify

PROGRAMS = 2500
SIZES = 4  # environments tried for each accepted program


@dataclass
class Leaf:
    """A leaf that stores at generated indices; `indices` are Python expressions over its names."""

    grid: list[str] = field(default_factory=list)
    loops: list[tuple[str, str, str, int]] = field(default_factory=list)  # name, low, high, step
    quotients: list[tuple[str, str, str, str]] = field(default_factory=list)  # name, op, id, by
    indices: list[tuple[list[str], int]] = field(default_factory=list)  # one list for each store
    shape: list[str] = field(default_factory=list)
    branch: bool = False


def text_of(leaf: Leaf) -> str:
    ids = [f"%i{n} < {percent(e)}" for n, e in enumerate(leaf.grid)]
    lines = ["leaf @f(%m: index, %n: index, %v: vec<i32, 2>, out %y: "
             f"buf<i32>[{percent(', '.join(leaf.shape))}]) grid({', '.join(ids)}) {{"]
    for name, op, id_, by in leaf.quotients:
        lines.append(f"  %{name} = {op} %{id_}, {percent(by)}")
    for name, low, high, step in leaf.loops:
        lines.append(f"  for %{name} in {percent(low)} .. {percent(high)} step {step} {{")
    if leaf.branch:
        lines += ["  %c = lt %m, 3", "  if %c {"]
    for index, lanes in leaf.indices:
        value = "%v" if lanes == 2 else "1"
        lines.append(f"  store.skip {value}, %y[{percent(', '.join(index))}]")
    lines += ["  }"] * (len(leaf.loops) + leaf.branch) + ["}"]
    return "\n".join(lines) + "\n"


def percent(expression: str) -> str:
    """Names with their `%`, functions and numbers as they are."""
    out = ""
    for part in expression.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split():
        out += f"%{part}" if part[0].isalpha() and part not in ("ceildiv", "min") else part
    return out.replace(",", ", ").replace("+", " + ").replace("* ", "*")


def generate(rng: random.Random) -> Leaf:
    leaf = Leaf()
    extents = ["n", "m", "2", "3", "1", "n * m", "ceildiv(n, 4)", "min(3, n)", "4 * n"]
    leaf.grid = [rng.choice(extents) for _ in range(rng.randint(1, 3))]
    names = [f"i{n}" for n in range(len(leaf.grid))]
    if rng.random() < 0.5:
        by = rng.choice(["2", "3", "m", "n"])
        source = rng.choice(names)
        leaf.quotients = [("q0", "div", source, by),
                          ("r0", "rem", source, by if rng.random() < 0.8 else "4")]
        names += ["q0", "r0"]
        if rng.random() < 0.3:
            leaf.quotients += [("q1", "div", "q0", "2"), ("r1", "rem", "q0", "2")]
            names += ["q1", "r1"]
    for number in range(rng.choice([0, 0, 1, 1, 2])):
        low = rng.choice(["0", "0", "0", "1", "m"])
        leaf.loops.append((f"k{number}", low, rng.choice(["2", "3", "4", "m", "n"]),
                           rng.choice([1, 1, 1, 2])))
        names.append(f"k{number}")
    leaf.branch = rng.random() < 0.1
    rank = rng.randint(1, 3)
    leaf.shape = [rng.choice([*extents, *leaf.grid, *leaf.grid]) for _ in range(rank)]
    first = [component(rng, names) for _ in range(rank)]
    leaf.indices.append((first, rng.choice([1, 1, 1, 2])))
    while rng.random() < 0.4:
        if rng.random() < 0.8:
            other = list(first)
            axis = rng.randrange(rank)
            other[axis] = f"{first[axis]} + {rng.randint(0, 4)}"
        else:
            other = [component(rng, names) for _ in range(rank)]
        leaf.indices.append((other, 1))
    return leaf


def regular(rng: random.Random) -> Leaf:
    """A leaf of the usual kind: each dimension has its own id, perhaps with a block behind it."""
    leaf = Leaf()
    ids = [f"i{n}" for n in range(rng.randint(1, 3))]
    order = rng.sample(ids, len(ids))
    leaf.grid = [rng.choice(["n", "m", "2", "3", "ceildiv(n, 4)"]) for _ in ids]
    block = rng.choice([0, 0, 2, 3, 4])
    index = list(order)
    leaf.shape = [leaf.grid[ids.index(i)] for i in order]
    if block:
        leaf.loops = [("k0", "0", rng.choice([str(block), str(block), "2"]), rng.choice([1, 1, 2]))]
        index[-1] = f"{block} * {order[-1]} + k0"
        leaf.shape[-1] = rng.choice([f"{block} * {leaf.shape[-1]}", "n"])
    elif rng.random() < 0.3:
        leaf.loops = [("k0", "0", "n", 1)]
        index.append("k0")
        leaf.shape.append(rng.choice(["n", "m"]))
    leaf.branch = rng.random() < 0.1
    leaf.indices = [(index, rng.choice([1, 1, 2]))]
    if rng.random() < 0.2:
        leaf.indices.append(([*index[:-1], index[-1] + " + 1"], 1))
    return leaf


def component(rng: random.Random, names: list[str]) -> str:
    if rng.random() < 0.4:
        return rng.choice(names)
    count = rng.randint(1, min(3, len(names)))
    factors = ["1", "1", "2", "3", "4", "m", "n", "m * n", "8"]
    terms = [f"{rng.choice(factors)} * {name}" for name in rng.sample(names, count)]
    if rng.random() < 0.3:
        terms.append(rng.choice(["1", "2", "m"]))
    return " + ".join(terms)


def reached(leaf: Leaf, env: dict[str, int]) -> tuple[dict[tuple[int, ...], set], tuple[int, ...]]:
    """The elements that each instance stores to, and the shape."""
    functions = {"ceildiv": lambda a, b: -(-a // b), "min": min}
    compiled = [([compile(e, "", "eval") for e in index], lanes) for index, lanes in leaf.indices]

    def value(code: object, names: dict[str, int]) -> int:
        return eval(code, functions, names)  # type: ignore[arg-type]

    shape = tuple(value(e, env) for e in leaf.shape)
    found: dict[tuple[int, ...], set] = {}
    for instance in itertools.product(*(range(value(e, env)) for e in leaf.grid)):
        names = {**env, **{f"i{n}": i for n, i in enumerate(instance)}}
        for name, op, id_, by in leaf.quotients:
            a, b = names[id_], value(by, env)
            names[name] = a // b if op == "div" else a % b
        elements = found.setdefault(instance, set())
        rounds = [range(value(low, env), value(high, env), step)
                  for _, low, high, step in leaf.loops]
        if leaf.branch and env["m"] >= 3:
            continue
        for counters in itertools.product(*rounds):
            names.update({loop[0]: k for loop, k in zip(leaf.loops, counters, strict=True)})
            for index, lanes in compiled:
                at = [value(e, names) for e in index]
                for lane in range(lanes):
                    element = (*at[:-1], at[-1] + lane)
                    if all(0 <= a < s for a, s in zip(element, shape, strict=True)):
                        elements.add(element)
    return found, shape


def test_accepted_leaves_keep_to_their_own_elements() -> None:
    rng = random.Random(20260)
    accepted = covered = refused = 0
    for _ in range(PROGRAMS):
        leaf = generate(rng) if rng.random() < 0.7 else regular(rng)
        text = text_of(leaf)
        try:
            facts = verify(parse(text))["f"]
        except HvisaError as error:
            assert set(error.codes) == {"HV0310"}, text + str(error)
            refused += 1
            continue
        accepted += 1
        covered += "y" in facts.covered
        for _ in range(SIZES):
            least = 1 if leaf.quotients else 0
            env = {"m": rng.randint(least, 4), "n": rng.randint(least, 6)}
            found, shape = reached(leaf, env)
            owner: dict[tuple[int, ...], tuple[int, ...]] = {}
            for instance, elements in found.items():
                for element in elements:
                    assert owner.setdefault(element, instance) == instance, (text, env, element)
            if "y" in facts.covered:
                everything = set(itertools.product(*map(range, shape)))
                assert everything == owner.keys(), (text, env)
    print(f"{accepted} accepted ({covered} covered), {refused} refused")
    assert accepted > PROGRAMS // 50 and refused > PROGRAMS // 50 and covered > 10


def test_an_index_beyond_every_dimension_is_refused_not_a_crash() -> None:
    text = """leaf @f(out %y: buf<f32>[%n]) grid(%i < %n) {
      store.skip 1.0, %y[9223372036854775807]
    }"""
    with pytest.raises(HvisaError) as caught:
        verify(parse(text))
    assert caught.value.codes == ["HV0310"]
