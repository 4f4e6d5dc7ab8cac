"""Beyond a limit: refused within a second and 200 MB, before much is built."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from hvisa.assembler.decoder import decode
from hvisa.assembler.encoder import encode
from hvisa.assembler.layout import MAGIC, VERSION, Section
from hvisa.assembler.leb128 import unsigned
from hvisa.assembler.parser import parse
from hvisa.diagnostics import HvisaError
from hvisa.spec.limits import LIMITS
from hvisa.spec.table import ROWS

MAX_S, MAX_BYTES = 1.0, 200 << 20


def op(mnemonic: str, *rest: int) -> bytes:
    return unsigned(ROWS[mnemonic].opcode) + bytes(rest)


def build(sections: dict[Section, bytes]) -> bytes:
    return MAGIC + bytes(VERSION) + b"".join(
        unsigned(n) + unsigned(len(p)) + p for n, p in sections.items())


def sized(payload: bytes) -> bytes:
    return unsigned(len(payload)) + payload


def value(name: str) -> int:
    return LIMITS[name].value


FUNCTION = b"\2\0\0\0\0\0\0"  # private, no symbols, ports, results; exact
GRAPH = b"\1\0\0\0\0\0\0"


def many_instructions(stated: int) -> bytes:
    count = value("instructions") + 1
    body = unsigned(stated) + b"\0" + op("barrier") * count + op("yield", 0)
    return build({Section.DECLARATIONS: b"\1" + FUNCTION, Section.BODIES: sized(body)})


def many_nodes() -> bytes:
    count = value("nodes") + 1
    body = unsigned(count + 1) + unsigned(count) + b"\0\0" + op("node", 0, 0, 0) * count
    return build({Section.DECLARATIONS: b"\1" + GRAPH, Section.BODIES: sized(body + op("yield", 0))})


def many_edges() -> bytes:
    count = value("edges") + 1
    body = b"\2\1" + unsigned(count) + b"\0" + bytes(3 * count)
    return build({Section.DECLARATIONS: b"\1" + GRAPH, Section.BODIES: sized(body)})


def deep_regions() -> bytes:
    depth = 100_000
    body = unsigned(4 * depth) + b"\0" + op("if", 1) * depth + op("yield", 0) * (2 * depth + 1)
    return build({Section.CONSTANTS: b"\1\0\1", Section.DECLARATIONS: b"\1" + FUNCTION,
                  Section.BODIES: sized(body)})


def many_definitions() -> bytes:
    count = value("definitions") + 1
    return build({Section.DECLARATIONS: unsigned(count) + FUNCTION * count})


def many_ports() -> bytes:
    count = value("ports") + 1
    return build({Section.TYPES: b"\1\3", Section.DECLARATIONS:
                  b"\1\2\0" + unsigned(count) + b"\0\0" * count + b"\0\0\0\0"})


def many_results() -> bytes:
    return build({Section.TYPES: b"\1\3", Section.DECLARATIONS:
                  b"\1\2\0\0" + unsigned(1000) + b"\0" * 1000 + b"\0\0\0"})


def high_rank() -> bytes:
    rank = 200_000
    return build({Section.TYPES: b"\2\3\x21\0" + unsigned(rank) + b"\4" * rank})


CASES: dict[str, tuple[Callable[[], bytes], str]] = {
    "instructions": (lambda: many_instructions(value("instructions") + 2), "HV0802"),
    "instructions, not stated": (lambda: many_instructions(5), "HV0841"),
    "nodes": (many_nodes, "HV0803"),
    "edges": (many_edges, "HV0804"),
    "nesting": (deep_regions, "HV0801"),
    "definitions": (many_definitions, "HV0805"),
    "ports": (many_ports, "HV0806"),
    "results": (many_results, "HV0837"),
    "rank": (high_rank, "HV0810"),
    "file": (lambda: MAGIC + bytes(value("source_bytes")), "HV0807"),
}


@pytest.mark.parametrize("name", CASES)
def test_beyond_a_limit(name: str) -> None:
    make, code = CASES[name]
    data = make()
    start = time.perf_counter()
    with pytest.raises(HvisaError) as error:
        decode(data)
    assert time.perf_counter() - start < MAX_S
    assert error.value.codes == [code]
    tracemalloc.start()
    with pytest.raises(HvisaError):
        decode(data)
    assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    tracemalloc.stop()


def test_the_deepest_nesting_is_accepted() -> None:
    depth = value("nesting") - 1
    text = "func @f() {\n" + "if true {\n" * depth + "}\n" * depth + "}\n"
    data = encode(parse(text))
    assert encode(decode(data)) == data


def test_time_is_linear_in_the_nesting_of_scopes() -> None:
    """Values of a scope are dropped once, however many regions end around them."""
    depth, count = 240, 20_000
    inner = op("not", 2) * count
    body = (unsigned(count + 3 * depth + 1) + b"\0" + op("if", 1) * depth + inner
            + op("yield", 0) * (2 * depth + 1))
    # Each `yield` ends a branch: the innermost first one, its empty second one, and so outwards.
    data = build({Section.TYPES: b"\1\0", Section.CONSTANTS: b"\1\0\1",
                  Section.DECLARATIONS: b"\1\2\0\1\0\0\0\0\0\0", Section.BODIES: sized(body)})
    start = time.perf_counter()
    assert encode(decode(data), strip_names=True) == data
    assert time.perf_counter() - start < 3.0


def test_an_enormous_constant_is_not_allocated() -> None:
    # buf<f64>[2^40] in a file of a few bytes.
    extent = unsigned(1 << 42)
    data = build({Section.TYPES: b"\2\x0c\x21\0\1" + extent, Section.DATA: b"\1\0\1"})
    with pytest.raises(HvisaError) as error:
        decode(data)
    assert error.value.codes == ["HV0821"]


def test_many_results_of_calls_stay_linear() -> None:
    """A call is a few bytes and gives up to 64 values."""
    declared = b"\2\0\0" + unsigned(64) + b"\0" * 64 + b"\0\0\0"
    calls = 2000
    body = unsigned(calls + 1) + b"\0" + op("call", 0, 1) * calls + op("yield", 0)
    data = build({Section.TYPES: b"\1\3", Section.DECLARATIONS: b"\2" + FUNCTION + declared,
                  Section.BODIES: sized(body) + sized(b"\1\0" + op("yield", 0))})
    start = time.perf_counter()
    with pytest.raises(HvisaError):
        decode(data)
    assert time.perf_counter() - start < 2.0
