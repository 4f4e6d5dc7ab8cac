"""Limits are enforced before time or memory is spent, in a process with little of either."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import hvisa

ROOT = Path(hvisa.__file__).parent.parent
GUARD_S = 60.0  # only against a hang; the time that counts is measured inside


def run_limited(body: str, memory_mb: int) -> str:
    """What a program prints, run with an address space beyond its imports of `memory_mb`."""
    program = textwrap.dedent("""
        import resource, time
        from hvisa.assembler.parser import parse
        from hvisa.diagnostics import HvisaError
        from hvisa.graph.verifier import verify
        parse("leaf @warm(%a: f32) {\\n}\\n")
        def used_kb():
            return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() // 1024
        def refused(make, by):
            start = time.perf_counter()
            try:
                by(make)
            except HvisaError as error:
                print(error.codes, f"{time.perf_counter() - start:.3f}")
            else:
                print("accepted")
        def limit(mb):
            bytes_ = (used_kb() + mb * 1024) * 1024
            resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    """) + textwrap.dedent(body).replace("MEMORY", str(memory_mb))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          cwd=ROOT, timeout=GUARD_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_refused(text: str, code: str, memory_mb: int = 200) -> None:
    """A text is refused with one code within a second. The text itself is made before the limit."""
    out = run_limited(f"""
        text = {text}
        limit(MEMORY)
        refused(text, parse)
    """, memory_mb)
    codes, _, seconds = out.strip().rpartition(" ")
    assert codes == f"['{code}']", out
    assert float(seconds) < 5.0, out  # a second on a quiet machine


@pytest.mark.parametrize(("text", "code"), [
    ("'leaf @f(%c: i1) {\\n' + 'if %c {\\n' * 100000", "HV0801"),
    ("'leaf @f(%a: f32) {\\n' + 'assert true, \"\"\\n' * (2**20 + 1) + '}\\n'", "HV0802"),
    ("'leaf @f(%a: f32) {\\n}\\ngraph @g(%a: f32) {\\n' + 'node @f(%a)\\n' * (2**16 + 1) + '}\\n'",
     "HV0803"),
    ("'leaf @f(%a: f32) {\\n}\\ngraph @g(%a: f32) {\\nnode @f(' + '%a, ' * 2**20 + '%a)\\n}\\n'",
     "HV0804"),
], ids=["nesting", "instructions", "nodes", "edges"])
def test_beyond_a_limit_is_refused_at_once(text: str, code: str) -> None:
    check_refused(text, code)


def test_dimension_that_nests_too_deep() -> None:
    out = run_limited("""
        depth = 100000
        text = "leaf @f(in %x: buf<f32>[" + "floordiv(" * depth + "%n" + ", 2)" * depth
        text += "]) {\\n}\\n"
        limit(MEMORY)
        refused(text, parse)
    """, 200)
    assert out.startswith("['HV0602'"), out


def test_text_that_is_too_long() -> None:
    check_refused("' ' * (2**28 + 1)", "HV0807")


def test_module_built_beyond_the_instruction_limit() -> None:
    """The verifier itself refuses, whatever made the module; one shared instruction needs no
    memory."""
    out = run_limited("""
        module = parse('leaf @f(%a: f32) {\\nassert true, ""\\n}\\n')
        body = module.definitions["f"].body.body
        body[:0] = body[:1] * 2**20
        limit(MEMORY)
        refused(module, verify)
    """, 200)
    assert out.startswith("['HV0802']"), out


def test_shared_definitions_are_verified_once_each() -> None:
    """A chain in which each graph uses the next ten times: 10^10 instances when written out."""
    out = run_limited("""
        text = "leaf @n0(%a: f32) {\\n}\\n"
        for level in range(1, 11):
            text += f"graph @n{level}(%a: f32) {{\\n" + f"  node @n{level - 1}(%a)\\n" * 10 + "}\\n"
        module = parse(text)
        limit(MEMORY)
        start = time.perf_counter()
        facts = verify(module)
        print(facts["n10"].expanded, time.perf_counter() - start)
    """, 200)
    expanded, seconds = out.split()
    assert int(expanded) > 10 ** 10
    assert float(seconds) < 5.0


def test_sizes_written_out_saturate() -> None:
    out = run_limited("""
        text = "leaf @n0(%a: f32) {\\n}\\n"
        for level in range(1, 201):
            text += f"graph @n{level}(%a: f32) {{\\n" + f"  node @n{level - 1}(%a)\\n" * 10 + "}\\n"
        print(verify(parse(text))["n200"].expanded == 2**62)
    """, 200)
    assert out.strip() == "True"


def test_chain_of_calls_beyond_the_limit() -> None:
    out = run_limited("""
        text = "func @n0(%a: f32) {\\n}\\n"
        for level in range(1, 3000):
            text += f"func @n{level}(%a: f32) {{\\n  call @n{level - 1}(%a)\\n}}\\n"
        refused(parse(text), verify)
    """, 200)
    assert out.startswith("['HV0808']"), out


def test_deepest_nesting_at_the_default_recursion_limit() -> None:
    out = run_limited("""
        import sys
        from hvisa.assembler.printer import print_module
        assert sys.getrecursionlimit() == 1000
        depth = 255
        for head in ("if %c {", "for %k{} in 0 .. 4 {",
                     "while (%w{} = %c) {\\ncheck %w{}\\n}} do {{"):
            text = "leaf @f(%c: i1) {\\n"
            for level in range(depth):
                text += head.replace("{}", str(level)).replace("{{", "{").replace("}}", "}") + "\\n"
            text += ("yield %c\\n}\\n" if "while" in head else "}\\n") * depth
            module = parse(text + "}\\n")
            verify(module)
            assert parse(print_module(module))
        print("verified")
    """, 400)
    assert out.strip() == "verified", out


def test_dimensions_do_not_grow_by_substitution() -> None:
    """Each node would make its result's extent five times as long as its argument's."""
    extent = " + ".join(f"floordiv(%n, {d})" for d in (2, 3, 5, 7, 11))
    out = run_limited(f"""
        text = "leaf @f(in %x: buf<f32>[%n], out %y: buf<f32>[{extent}]) {{\\n}}\\n"
        text += "graph @g(in %y0: buf<f32>[%n]) {{\\n"
        text += "".join(f"  %y{{k + 1}} = node @f(%y{{k}})\\n" for k in range(20)) + "}}\\n"
        refused(text, parse)
    """, 200)
    assert out.startswith("['HV0602'"), out
