"""What the verifier says, in the words of someone who writes Python.

Rules speak of the text form: `%x`, `buf<f32>[%n]`, `inout shared`. Names and types are put as Python
has them wherever they stand; what to write instead is kept here by code, where the rule's own advice is
a line of the text form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hvisa.diagnostics import Diagnostic
from hvisa.spec.operations import DIRECTIONS
from hvisa.spec.types import BufferType

if TYPE_CHECKING:
    from hvisa.graph.model import Module, Port

_BUFFER = re.compile(r"buf<(\w+)>\[([^\]]*)\]")
_VECTOR = re.compile(r"vec<(\w+), (\d+)>")
# Names of the module are those of Python with a number or a type behind a dot where they would meet.
_NAME = re.compile(r"(?<![\w%])[%@]([A-Za-z_][A-Za-z0-9_]*)(?:\.[\w.]*\w)?")
# A size of a callee that nothing binds, `%@f.m`.
_CALLEE_SIZE = re.compile(r"%@[\w.]+\.(\w+)")
_UNNAMED = re.compile(r"`?%\d[\w.]*`?")
_KINDS = {"which is `own checked`": "which is a `Checked` port",
          "which is `own`": "which is an `Out` or `InOut` port",
          "which is `accumulate`": "which is an `Accumulate` port",
          "which is `shared`": "which is a `Shared` port",
          "which is read only": "which is only read",
          "in a func": "in a `@hvisa.func`", "in a leaf": "in a `@hvisa.leaf`",
          "in a graph": "in a `@hvisa.graph`",
          "the port is `own`": "its elements belong to one instance each"}
_NONDETERMINISTIC = "`@hvisa.leaf(effect=\"nondeterministic\")`"


def plain(text: str) -> str:
    """A text with names and types as Python has them."""
    text = _BUFFER.sub(lambda m: f"{m[1]}[{m[2]}]", text)
    text = _CALLEE_SIZE.sub(r"\1", text)
    text = _VECTOR.sub(r"vec[\1, \2]", text)
    text = _UNNAMED.sub("this value", _NAME.sub(r"\1", text.replace("[?", "[")))
    text = re.sub(r"`(fold_lanes|group_reduce|group_scan|update|atomic)\.(\w+)`", r'`\1("\2", ...)`', text)
    for words, ours in _KINDS.items():
        text = text.replace(words, ours)
    return text


class _Said:
    """A diagnostic as the rule gave it, and the module it is about."""

    def __init__(self, diagnostic: Diagnostic, module: Module):
        self.diagnostic = diagnostic
        self.module = module
        self.names = [m[1] for m in _NAME.finditer(diagnostic.message)]
        self.full_names = re.findall(r"[%@]([\w.]*\w)", diagnostic.message)

    @property
    def name(self) -> str:
        """The last thing that the message names: the buffer, where it is about one."""
        return self.names[-1] if self.names else "x"

    @property
    def port(self) -> Port | None:
        """The port of that name in the definition that the place belongs to."""
        span = self.diagnostic.span
        found: list[tuple[int, Port]] = []
        for definition in self.module.definitions.values():
            port = definition.port(self.name)
            first = definition.span.line if definition.span is not None else 0
            if port is not None and span is not None and first <= span.line:
                found.append((first, port))
        return max(found, key=lambda p: p[0])[1] if found else None

    def declared(self, kind: str, operator: str = "") -> str:
        """The port's annotation as it would be of another kind: `y: Shared[f32, \"n\"]`."""
        port = self.port
        word = f"\"{operator}\", " if operator else ""
        if port is None or not isinstance(port.type, BufferType):
            return f"`{self.name}: {kind}[{word}...]`"
        sizes = [str(d.constant) if d.constant is not None else f"\"{plain(str(d))}\""
                 for d in port.type.shape]
        return f"`{self.name}: {kind}[{word}{', '.join([str(port.type.element), *sizes])}]`"

    @property
    def kind(self) -> str:
        found = self.module.definitions.get(self.full_names[0]) if self.full_names else None
        return found.kind if found is not None else "leaf"


def _apart(said: _Said) -> str:
    """HV0310: instances that may reach one element."""
    reads = said.diagnostic.help.startswith("read the old version")
    port = said.port
    lines = [f"index `{said.name}` by all ids of the grid"]
    if reads and port is not None and DIRECTIONS[port.direction] == "inout":
        lines = [f"read what was there before through another port: "
                 f"`before: {said.declared('In').split(': ')[1]}"]
    if port is None or not isinstance(port.type, BufferType) or not port.type.element.is_float:
        lines.append(f"values of several instances are joined by {said.declared('Accumulate', 'add')}")
    else:
        lines.append("values of several instances are joined by giving each back (`-> f32`) and "
                     "`hvisa.reduce(\"add\", ...)` in a graph")
    return ";\n".join([*lines, f"where instances may meet, {said.declared('Shared')} and "
                       f"{_NONDETERMINISTIC}",
                       f"where they never do, {said.declared('Checked')} has it checked at run time"])


def _joined(said: _Said) -> str:
    """HV0306, HV0308: `hvisa.update` or an atomic of a port that does not take it."""
    shared = f"make it {said.declared('Shared')}"
    port = said.port
    exact = port is None or not isinstance(port.type, BufferType) or not port.type.element.is_float
    if "`update`" in said.diagnostic.message and exact:
        return f"make it {said.declared('Accumulate', 'add')}"
    return f"{shared} and state {_NONDETERMINISTIC}"


def _convert(said: _Said) -> str:
    """HV0203: types that differ; the rule may name the `convert` that it misses."""
    wanted = re.search(r"(?:convert|splat) (vec<\w+, \d+>|\w+) \.\.\.", said.diagnostic.help)
    return f"convert it: `{plain(wanted[1])}(...)`" if wanted else \
        "pass a value of that type; a buffer is passed as the type that the parameter says"


def _effect(said: _Said) -> str:
    word = "nondeterministic" if "nondeterministic" in said.diagnostic.message else "inexact"
    return f"write `@hvisa.{said.kind}(effect=\"{word}\")`"


def _accumulate(said: _Said) -> str:
    """HV0301: what an `Accumulate` port can't join."""
    if not said.diagnostic.note:
        return "operators of integers are add, min, max, and, or, xor; of floats min and max"
    return ("make it `Shared[...]`, join with `hvisa.update(\"add\", ...)` and state "
            f"{_NONDETERMINISTIC};\n"
            "or give the values back (`-> f32`) and join them in a graph: `hvisa.reduce(\"add\", ...)`")


# By code: what to write in Python.
_HELP: dict[str, str | Callable[[_Said], str]] = {
    "HV0101": "compute it in the same block, or before it",
    "HV0102": "rename one of them",
    "HV0109": "names of functions, parameters and sizes are made of the letters a to z, digits and `_`",
    "HV0203": lambda s: _convert(s),
    "HV0208": "`f32(x)` changes the number itself; bits are seen as a type of the same width",
    "HV0210": "and, or, xor join integers, any and all truth values, the others numbers",
    "HV0212": "write one index for each dimension",
    "HV0213": "convert it: `index(...)`",
    "HV0214": "give the port a first size that is set: `y: Out[f32, \"count <= n\"]`",
    "HV0215": "use constant sizes, `hvisa.local(f32, 16)`, or `hvisa.scratch` in a graph",
    "HV0301": _accumulate,
    "HV0305": "`Out[..., copy_of(\"x\")]` names an `In` or `InOut` port of the same type and shape",
    "HV0306": lambda s: _joined(s),
    "HV0307": lambda s: f"write `{s.name}[...] += value`; to read it here, make it {s.declared('Shared')}",
    "HV0308": lambda s: _joined(s),
    "HV0309": lambda s: f"nobody else sees it: write `{s.name}[...] = ...`",
    "HV0310": _apart,
    "HV0316": "set it at the end of a leaf that has no `hvisa.grid`",
    "HV0317": "write into it first, or use the constant 0",
    "HV0405": "call it in the leaf that calls this function",
    "HV0407": "move it out of the `if` or loop, or let all instances decide alike: "
              "`if hvisa.group_any(c):`",
    "HV0409": "use `hvisa.group_shuffle`, which takes a different one for each instance",
    "HV0410": "write a `for` loop instead of the generator",
    "HV0603": "write `Out[f32, \"count <= n\"]`; `count` is a new name",
    "HV0604": "a size is a name that stands in the shape of a port, or a parameter of type `index`",
    "HV0605": "pass a buffer with these sizes, or give the parameter names of sizes: `In[f32, \"k\"]`",
    "HV0606": lambda s: f"let `{s.name}` stand alone in the shape of an `In` port, `In[f32, \"{s.name}\"]`,"
        f" or pass it as a parameter: `{s.name}: index`",
    "HV0607": "divide by a positive constant or by the size of a port",
    "HV0608": "sizes are 0 or more",
    "HV0701": _effect,
    "HV0705": "for example `attributes={\"requirement\": {...}, \"hint\": {\"unroll\": 4}}`",
    "HV0706": "write `implements=\"MatMul@13\"`: name and version",
    "HV0809": "use a smaller array, or a buffer with a row for each instance",
}
_MESSAGES: dict[str, Callable[[_Said], str]] = {
    "HV0310": lambda s: f"several instances may reach one element of `{s.name}`: "
        "those that differ in " + " and ".join(f"`{n}`" for n in s.names[:-1])
        if "instances that differ" in s.diagnostic.message else plain(s.diagnostic.message),
    "HV0301": lambda s: re.sub(r"`accumulate\((\w+)\)`", r'`Accumulate["\1", ...]`',
                               s.diagnostic.message),
    "HV0606": lambda s: f"nothing gives the size `{s.name}` a value",
    "HV0701": lambda s: re.sub(r"and says (\w+)", r"and does not say so", plain(s.diagnostic.message)),
    "HV0214": lambda s: "this size can't be set",
}
_NOTES = {
    "an index of this access is not affine in the instance ids":
        "this index is not a sum of multiples of ids, loop counters and sizes",
    "`clamp` reaches elements that the index does not name":
        "`.clamp` reaches elements that the index does not name",
    "this index does not tell them apart": "this index is the same for them",
}


def in_python(diagnostic: Diagnostic, module: Module) -> Diagnostic:
    """The diagnostic in Python's words."""
    said = _Said(diagnostic, module)
    message = _MESSAGES.get(diagnostic.code, lambda s: plain(s.diagnostic.message))(said)
    found = _HELP.get(diagnostic.code, plain(diagnostic.help))
    return Diagnostic(diagnostic.code, message, diagnostic.span,
                      note=_NOTES.get(diagnostic.note, plain(diagnostic.note)),
                      help=found if isinstance(found, str) else found(said),
                      labels=[(span, plain(text)) for span, text in diagnostic.labels],
                      severity=diagnostic.severity)


def all_in_python(diagnostics: Sequence[Diagnostic], module: Module) -> list[Diagnostic]:
    """Those of one verification, each once: a function compiled for several types says the same of
    each."""
    found: dict[str, Diagnostic] = {}
    for diagnostic in diagnostics:
        translated = in_python(diagnostic, module)
        found.setdefault(str(translated), translated)
    return list(found.values())
