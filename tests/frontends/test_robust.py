"""Whatever stands in a decorated function, compiling it ends well or in an HvisaError with a place in the
file: kernels are changed at random, with a fixed seed."""

from __future__ import annotations

import linecache
from collections import Counter

import pytest

from hvisa.decorated import Compiled
from hvisa.diagnostics import HvisaError
from hvisa.graph.verifier import verify
from tests.frontends.fragments import HEADER, KERNELS
from tests.frontends.mutations import Mutator

MUTANTS = 400  # of each kernel


def compile_text(text: str, name: str) -> None:
    """Import a text as a file would be, and compile all that it decorates."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        space = {"__name__": "mutant"}
        exec(compile(text, name, "exec"), space)
        for found in list(space.values()):
            if isinstance(found, Compiled):
                verify(found.module)
    finally:
        del linecache.cache[name]


def check_error(error: HvisaError, text: str, name: str) -> None:
    assert error.diagnostics
    for diagnostic in error.diagnostics:
        span = diagnostic.span
        assert span is not None and span.source is not None and span.source.name == name, error
        lines = text.split("\n")
        assert 1 <= span.line <= len(lines), error
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1, error
        assert diagnostic.message and diagnostic.help, error
        assert " at 0x" not in diagnostic.message, error


@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_kernels_are_valid(number: int) -> None:
    compile_text(HEADER + KERNELS[number], f"kernel{number}.py")


@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_mutants(number: int) -> None:
    mutator = Mutator(KERNELS[number], number)
    seen: Counter[str] = Counter()
    for count in range(MUTANTS):
        text, name = mutator.mutant(), f"mutant{count}.py"
        try:
            compile_text(text, name)
            seen["good"] += 1
        except HvisaError as error:
            check_error(error, text, name)
            seen[error.codes[0]] += 1
        except (NameError, TypeError, AttributeError, ZeroDivisionError) as error:
            if not evaluated_by_python(error):
                raise AssertionError(f"{error!r} of\n{text}") from error
            seen["python"] += 1
        except Exception as error:
            raise AssertionError(f"{error!r} of\n{text}") from error
    assert seen["good"] >= MUTANTS // 20 and len(seen) >= 8, seen


def evaluated_by_python(error: BaseException) -> bool:
    """Whether Python itself raised it, in an annotation or a decorator of the file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == "mutant"
