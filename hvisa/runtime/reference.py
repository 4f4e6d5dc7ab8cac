"""The device `reference`: the interpreter behind the same host boundary as native code."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaTrap, LaunchTimeout
from hvisa.runtime.arguments import Bound
from hvisa.runtime.host_values import scalar_value
from hvisa.runtime.python_traps import in_python

if TYPE_CHECKING:
    from hvisa.graph.model import Instr, Module


def interpret(module: Module, bound: Bound, *, externs: Mapping[str, Callable[..., Any]],
              print_sink: Callable[[str], None], timeout: float | None = None,
              **options: Any) -> list[Any]:
    """Run an entry on bound arguments: written ports, then results, in order. `options` are those
    of the interpreter (`check_races`, `trace_instance`, `trace_sink`)."""
    from hvisa.graph.interpreter import Interpreter
    if options.get("trace_instance") is not None:
        options["trace_text"] = _writer(module)
    signature = bound.signature
    deadline = None if timeout is None else time.monotonic() + timeout

    def stop() -> bool:
        return deadline is not None and time.monotonic() > deadline
    passed = {p.name: scalar_value(bound.values[p.name], p) if p.kind == "scalar"
              else bound.values[p.name] for p in signature.taken}
    shapes = {p.name: bound.values[p.name].shape for p in signature.written
              if p.direction == "out" and p.kind == "buffer" and p.capacity is None}
    interpreter = Interpreter(module, externs=externs, print_sink=print_sink, stop=stop, **options)
    try:
        found = interpreter.run(signature.entry, passed, out_shapes=shapes)
    except LaunchTimeout as error:
        raise LaunchTimeout(Diagnostic(
            "HV1008", f"`@{signature.entry}` ran longer than its timeout of {timeout:g} s",
            help="give it more time: `timeout=`")) from error
    except HvisaTrap as error:
        raise in_python(error).with_traceback(error.__traceback__) from None
    counts: dict[str, int] = {}
    for port in signature.written:
        made = found[port.name]
        if port.kind != "buffer":
            bound.values[port.name] = made
            continue
        if port.capacity is not None and port.direction == "out":
            counts[port.name] = len(made)
            bound.values[port.name][:len(made)] = made
        else:
            bound.values[port.name][...] = made
    results = [_shown(found[r.name], bound, r.element.name) for r in signature.results]
    return bound.publish(counts) + results


def _writer(module: Module) -> Callable[[Instr], str]:
    """What writes an instruction in canonical form."""
    from hvisa.assembler.printer import statement
    from hvisa.graph.numbering import number_module
    number_module(module)  # a module from bytecode may have values without names
    return statement


def _shown(value: Any, bound: Bound, element: str) -> Any:
    if isinstance(value, list):
        return [_shown(v, bound, element) for v in cast("list[Any]", value)]
    if element == "bf16" and bound.bfloat16 is not None:
        viewed = np.asarray(value).view(bound.bfloat16)
        return viewed if viewed.ndim else viewed[()]
    return value
