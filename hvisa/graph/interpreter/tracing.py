"""Which launches have the instance to follow, and whether there is such a one at all (HV1011)."""

from __future__ import annotations

import difflib

from hvisa.diagnostics import HvisaError, fail, plural
from hvisa.graph.interpreter.machine import Options
from hvisa.graph.interpreter.trace_log import Trace
from hvisa.graph.model import Definition, Module

# Grids of launches that a message lists.
_LISTED = 4


def check_trace(options: Options, module: Module, entry: Definition) -> None:
    """HV1011 unless the instance to follow is one of a leaf with as many ids as its grid has."""
    options.traced.clear()
    if options.trace_instance is None:
        return
    where, ids = options.trace_instance
    name = where.rpartition("/")[2].lstrip("@")
    leaves = {n: d for n, d in module.definitions.items() if d.kind == "leaf" and d.body is not None}
    if not name and entry.kind == "leaf":
        name = entry.name
    elif not name:
        if all(len(leaf.grid) != len(ids) for leaf in leaves.values()):
            ranks = sorted({len(leaf.grid) for leaf in leaves.values()})
            raise fail("HV1011", f"no leaf has a grid of {plural(len(ids), 'id')}, which is how many are "
                       "given to follow", entry.span, help="grids of this module have "
                       f"{' or '.join(map(str, ranks))}; name a leaf: `NODE:I,J`")
        return
    if name not in leaves:
        near = difflib.get_close_matches(name, leaves, 1)
        raise fail("HV1011", f"there is no leaf `@{name}` whose instance could be followed",
                   help=f"did you mean `{near[0]}`?" if near else
                   f"leaves are {', '.join(f'`@{n}`' for n in leaves) or 'none'}")
    rank = len(leaves[name].grid)
    if len(ids) != rank:
        raise fail("HV1011", f"the grid of `@{name}` has {plural(rank, 'id')}, {len(ids)} given to "
                   "follow", leaves[name].span,
                   help=f"write `{name}:{','.join('0' * rank)}` for the first instance")


def check_traced(options: Options) -> None:
    """HV1011 if no launch had the instance to follow."""
    if options.trace_instance is None or any(_within(options.trace_instance[1], g) for g in options.traced):
        return
    raise _not_there(options)


def _not_there(options: Options) -> HvisaError:
    assert options.trace_instance is not None
    where, ids = options.trace_instance
    grids = list(dict.fromkeys(options.traced))
    listed = " and ".join(str(list(g)) for g in grids[:_LISTED])
    why = f"its grid was {listed}{' and others' * (len(grids) > _LISTED)}" if grids else \
        "it was not launched" if where else "no leaf with such a grid was launched"
    return fail("HV1011", f"{f'`{where}`' if where else 'the program'} had no instance {list(ids)} to "
                f"follow: {why}", help="ids start at 0; a path is `entry/.../node`")


def _within(ids: tuple[int, ...], grid: tuple[int, ...]) -> bool:
    return len(ids) == len(grid) and all(0 <= i < n for i, n in zip(ids, grid, strict=True))


def trace_for(options: Options, name: str, path: tuple[str, ...],
              grid: tuple[int, ...]) -> Trace | None:
    """The log of a launch that has the wanted instance. A launch is wanted by the node's name or its
    whole path (`main/tile/leaf`); without either, by the number of its ids."""
    if options.trace_instance is None:
        return None
    where, ids = options.trace_instance
    if where.lstrip("@") not in (name, "/".join(path)) and (where or len(grid) != len(ids)):
        return None
    options.traced.append(grid)
    if not _within(ids, grid):
        return None
    return Trace(path, grid, ids, options.trace_sink or options.print_sink, options.trace_text)
