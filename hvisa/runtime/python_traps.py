"""Traps of programs that were written in Python: in Python's words."""

from __future__ import annotations

from hvisa.diagnostics import Diagnostic, HvisaError, HvisaTrap

_HELP: dict[str, str] = {
    "HV0901": "test the divisor before, or use `hvisa.select(d == 0, 1, d)`",
    "HV0902": "check the index, or say what happens outside: `x.clamp[...]`, `x.zero[...]`, "
              "`y.skip[...] = v`",
    "HV0904": "the step of a `range` is at least 1",
    "HV0906": "each element of an `InOut` or `Checked` port belongs to one instance; else make the port "
              "`Shared[...]`",
}
_OTHER = ("unspecified contents",)  # lines of help that say what became of arguments
_FIRST = "`device=\"reference\"` shows the first instance that faults"


def in_python(error: HvisaError) -> HvisaError:
    """The same error; of a program in Python, with names and advice as Python has them."""
    span = error.diagnostics[0].span
    if span is None or span.source is None or not (
            span.source.language == "python" or span.source.name.endswith(".py")):
        return error
    from hvisa.frontends.python.wording import plain
    said = error.diagnostics[0]
    kept = [line for line in said.help.splitlines() if any(o in line for o in _OTHER)]
    own = _HELP.get(said.code, "" if said.code.startswith("HV09") else plain(said.help))
    again = _FIRST if isinstance(error, HvisaTrap) and "--diagnose" in said.help else ""
    changed = Diagnostic(said.code, plain(said.message), span, note=plain(said.note),
                         help="\n".join(filter(None, [own, *kept, again])), labels=said.labels)
    if isinstance(error, HvisaTrap):
        return HvisaTrap(changed, error.path, error.instance)
    return HvisaError([changed, *error.diagnostics[1:]])
