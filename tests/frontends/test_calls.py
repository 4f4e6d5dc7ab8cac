"""Every operation, called in a leaf and in a graph with arguments of all kinds and numbers: it compiles
or is refused with a place, and what it takes by name is said by `names.KEYWORDS` alone."""

from __future__ import annotations

import itertools
from keyword import iskeyword

import pytest

from hvisa.diagnostics import HvisaError
from hvisa.frontends.python.names import KEYWORDS, NAMES, LibraryFunction, Operation
from hvisa.spec.types import ScalarType
from tests.frontends.fragments import HEADER
from tests.frontends.test_robust import check_error, compile_text

NAMED = sorted(n for n, v in NAMES.items() if isinstance(v, (Operation, LibraryFunction))
               and not iskeyword(n))
TYPES = sorted(n for n, v in NAMES.items() if isinstance(v, ScalarType))
NUMPY = ("divide", "square", "logical_and", "logical_not", "amax", "amin", "subtract", "maximum")
LEAF = """
@hvisa.func
def twice(a):
    return a + a

@hvisa.leaf(effect="nondeterministic")
def called(x: In[f32, "n", 4], h: Shared[i32, "n"], y: Out[f32, "n"], v: vec[f32, 4]):
    i = hvisa.grid("n")
    a = x[i, 0]
    {call}
    y[i] = a
"""
GRAPH = """
@hvisa.leaf
def node(x: In[f32, "n", 4]) -> f32:
    i = hvisa.grid("n")
    return x[i, 0]

@hvisa.graph
def called(x: In[f32, "n", 4], k: index) -> f32:
    a = hvisa.sum(x)
    {call}
    return a
"""
# Of a leaf and of a graph.
ARGUMENTS = {LEAF: ("a", "i", "2", "-1", "1.5", "None", "True", "\"add\"", "x", "h[i]", "v", "f32",
                    "(1, 2)", "twice", "np", "[1, 2]", "(x[i, k] for k in range(4))"),
             GRAPH: ("x", "a", "x[0]", "2", "-1", "1.5", "None", "True", "\"add\"", "k", "f32", "(1, 2)",
                     "node(x)", "node", "np", "[1, 2]", "x > 0")}

VALUES = ("None", "0", "-9", "a", "True", "f32", "x", "(0, 1)", "(0, 5)")  # given by name


def answer(frame: str, call: str) -> HvisaError | None:
    """What compiling a definition with a call says."""
    text = HEADER + frame.format(call=call)
    try:
        compile_text(text, "calls.py")
    except HvisaError as error:
        check_error(error, text, "calls.py")
        return error
    return None


@pytest.mark.parametrize("frame", [LEAF, GRAPH], ids=["leaf", "graph"])
@pytest.mark.parametrize("name", [*(f"hvisa.{n}" for n in (*NAMED, *TYPES)), "hvisa.ceildiv", "hvisa.vec",
                                  "hvisa.vec[f32, 4]", *(f"np.{n}" for n in NUMPY), "len", "int", "float",
                                  "bool", "range",
                                  "a.astype", "x.sum", "x.mean", "x.argmax", "x.astype", "x.copy", "x.dot",
                                  "x.clip", "x.transpose", "x.vec", "h.vec"])
def test_call(frame: str, name: str) -> None:
    arguments = ARGUMENTS[frame]
    places = [(), *((a,) for a in arguments), *itertools.product(arguments[:6], arguments[1::3]),
              *itertools.product(arguments[8:9] + arguments[3:4], arguments[:3], arguments[::4])]
    for given in places:
        answer(frame, f"r = {name}({', '.join(given)})")
    operation = name.rpartition(".")[2]
    word = "add" if operation.startswith(("group", "fold", "update", "atomic")) else "x"
    for given in ("", "x", "x, x", f"\"{word}\", a", "a", "a, a", "a, a, a", "f32, 4", "node(x)"):
        found = answer(frame, f"r = {name}({given}{', ' * bool(given)}nothing=1)")
        assert found is not None, f"{name}({given}, nothing=1)"
        answer(frame, f"r = {name}({given}{', ' * bool(given)}**x)")
    for keyword, value in itertools.product(KEYWORDS.get(operation, ()), VALUES):
        answer(frame, f"r = {name}({arguments[0]}, {keyword}={value})")
        answer(frame, f"r = {name}({arguments[0]}, {arguments[3]}, {keyword}={value})")


@pytest.mark.parametrize(("frame", "call", "message"), [
    (GRAPH, "r = hvisa.sum(x, 0, axis=1)", "`axis` is given twice"),
    (GRAPH, "r = hvisa.sum(x, 0, 1)", "one argument too many"),
    (GRAPH, "r = hvisa.zeros((2, 2), f32, dtype=f32)", "`dtype` is given twice"),
    (GRAPH, "r = hvisa.transpose(x, (1, 0), axes=(0, 1))", "`axes` is given twice"),
    (GRAPH, "r = hvisa.flip(x, 0, axis=1)", "`axis` is given twice"),
    (GRAPH, "r = hvisa.where(x > 0, x, 0, axis=1)", "`where` has no argument `axis`"),
    (GRAPH, "r = hvisa.exp(x, out=x)", "`exp` has no argument `out`"),
    (GRAPH, "r = f32(x, copy=False)", "`f32` has no argument `copy`"),
    (GRAPH, "r = x.astype(f32, copy=False)", "`astype` has no argument `copy`"),
    (GRAPH, "r = x.copy(order=\"C\")", "`copy` has no argument `order`"),
    (GRAPH, "r = len(x, axis=0)", "`len` has no argument `axis`"),
    (GRAPH, "r = hvisa.collect(node(x), axis=0)", "`collect` has no argument `axis`"),
    (GRAPH, "r = hvisa.reduce(\"add\", node(x), init=0)", "`reduce` has no argument `init`"),
    (LEAF, "r = hvisa.group_scan(\"add\", a, exclusive=i > 0)", "`exclusive` is True or False"),
    (LEAF, "r = hvisa.group_reduce(\"add\", a, exclusive=True)",
     "`group_reduce` has no argument `exclusive`"),
    (LEAF, "hvisa.update(\"add\", h[i], 1, order=1)", "`update` has no argument `order`"),
    (LEAF, "r = hvisa.bitcast(u32, a, copy=1)", "`bitcast` has no argument `copy`"),
    (LEAF, "r = hvisa.sqrt(a, where=True)", "`sqrt` has no argument `where`"),
    (LEAF, "r = sum((x[i, k] for k in range(4)), start=a)", "`sum` has no argument `start`"),
    (LEAF, "r = f32(a, copy=1)", "`f32` has no argument `copy`"),
])
def test_a_keyword_is_never_ignored(frame: str, call: str, message: str) -> None:
    found = answer(frame, call)
    assert found is not None and message in found.diagnostics[0].message, found
