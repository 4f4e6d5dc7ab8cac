"""From the 32-byte record of a trap to the exception that the caller sees."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hvisa.diagnostics import Diagnostic, HvisaError, HvisaTrap, Source, Span, instance_text
from hvisa.runtime.layout import DimensionError, evaluate
from hvisa.runtime.python_traps import in_python
from hvisa.translators.native import CONTEXT

# HV1005 by the second number of the record.
_SIZES = ("an extent is {}, which is negative or beyond 2^48",
          "with an extent of {} the product is beyond the limit",
          "a divisor is {}; divisors are at least 1",
          "a dimension can't be computed within 64 bits",
          "the cut points of `split` are not in order within the axis: {}")

# Text by code: the site, then the two numbers of the record.
_TEXT: dict[str, Callable[[Mapping[str, Any], int, int], str]] = {
    "HV0901": lambda site, a, b: "division by zero",
    "HV0902": lambda site, a, b: f"index [{_index(site, a, b)}] of `{site.get('buffer', '')}` is out "
        "of bounds",
    "HV0903": lambda site, a, b: f"assertion failed: {site.get('text') or 'an assertion failed'}",
    "HV0904": lambda site, a, b: "the step of `for` is below 1",
    "HV0905": lambda site, a, b: f"`set_extent` to {a}, beyond the capacity {b}",
    "HV0906": lambda site, a, b: f"element {b} (in row-major order) of an `own checked` port is "
        f"outside this instance's footprint: instance number {a} touched it",
    "HV0907": lambda site, a, b: f"the box starts at {a}, outside 0 to {b}" if b >= 0
        else f"the length of the box is {b}",
    "HV0908": lambda site, a, b: "an extern function failed",
    "HV0910": lambda site, a, b: f"there is no memory for {a} bytes",
    "HV1005": lambda site, a, b: _SIZES[b].format(a),
    "HV1004": lambda site, a, b: f"two dimensions must be equal and are {a} and {b}",
}
_HELP: dict[str, str] = {
    "HV0902": "say what happens outside: `load.zero`, `load.clamp`, `store.skip`",
    "HV0903": "", "HV0908": "look at the host function and what it is given",
    "HV0906": "each element of an `own` port belongs to one instance; else write `shared`",
    "HV0910": "use smaller sizes", "HV1005": "check the sizes of the arguments",
}
_DIAGNOSE = "`hvisa run --diagnose` replays on `reference` and shows the first instance that faults"
DONATED = "arrays passed to `inout` ports have unspecified contents now"


class Record:
    """What native code noted about a trap. `path` has node numbers, the outermost first."""

    __slots__ = ("a", "b", "code", "instance", "path", "site")

    def __init__(self, context: ctypes.Array[Any]):
        def i64(name: str) -> int:
            return ctypes.c_int64.from_buffer(context, CONTEXT[name]).value
        self.code = f"HV{ctypes.c_int32.from_buffer(context, CONTEXT['trap_code']).value:04}"
        self.site = ctypes.c_int32.from_buffer(context, CONTEXT["trap_site"]).value
        self.instance, self.a, self.b = i64("trap_instance"), i64("trap_a"), i64("trap_b")
        length = min(i64("path_length"), 256)
        path = (ctypes.c_int32 * 256).from_buffer(context, CONTEXT["path"])
        self.path = list(reversed(path[:length]))


def trap_error(record: Record, metadata: Mapping[str, Any], symbols: Mapping[str, int],
               sources: Callable[[str], Source], donated: bool,
               cause: BaseException | None = None) -> HvisaError:
    """The exception for a record: HvisaTrap, or HvisaError where the launch itself was wrong.

    `symbols` are the entry's, `sources` gives the text that a site's file names; `cause` is what a
    host function raised.
    """
    site = metadata["sites"][record.site]
    entry = metadata["signature"]["entry"]
    path = (entry, *(metadata["nodes"][n] for n in record.path))
    definition = site["definition"]
    text = _TEXT[record.code](site, record.a, record.b) if record.code in _TEXT else "a trap"
    if cause is not None:
        text += f" with {type(cause).__name__}: {cause}"
    instance = None
    if record.code.startswith("HV09"):
        node = path[-1]
        grid = metadata["grids"].get(node, [])
        instance = grid_index(record.instance, grid, symbols if node == entry else {})
        text += f" ({_where(path, record.instance, instance, bool(grid))})"
        if definition not in path:
            text += f", in `@{definition}`"
    span = None
    if site.get("line"):
        span = Span(sources(site.get("file", "")), site["line"], site["column"],
                    site.get("length", 1))
    lines = [_HELP.get(record.code, ""), DONATED if donated else "",
             _DIAGNOSE if record.code.startswith("HV09") else ""]
    diagnostic = Diagnostic(record.code, text, span, help="\n".join(filter(None, lines)))
    if not record.code.startswith("HV09"):
        return in_python(HvisaError(diagnostic))
    return in_python(HvisaTrap(diagnostic, path, instance))


def _where(path: Sequence[str], number: int, instance: tuple[int, ...] | None, grid: bool) -> str:
    """The same words as the interpreter's, as far as the record tells."""
    if grid and instance is None:
        return f"instance number {number} of @{'/'.join(path)}"
    return instance_text(path, instance)


def _index(site: Mapping[str, Any], first: int, last: int) -> str:
    """An index of which the first and the last part are known, the last one for each lane."""
    lanes = site.get("lanes", 0)
    parts = [str(first), *["..."] * (site.get("rank", 1) - 2)] if site.get("rank", 1) > 1 else []
    return ", ".join([*parts, f"{last} to {last + lanes - 1}" if lanes else str(last)])


def grid_index(number: int, grid: Sequence[Any],
               symbols: Mapping[str, int]) -> tuple[int, ...] | None:
    """The ids of a linear instance number; None where the extents are not known here."""
    ids: list[int] = []
    for dim in reversed(grid[1:]):
        try:
            extent = evaluate(dim, symbols)
        except (KeyError, DimensionError):
            return None
        if extent < 1:
            return None
        ids.append(number % extent)
        number //= extent
    ids += [number] if grid else []
    return tuple(reversed(ids))
