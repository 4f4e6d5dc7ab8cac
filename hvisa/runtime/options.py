"""The options of a load and of a call, checked before anything happens. HV1001, HV1002, HV1101."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from hvisa.diagnostics import Diagnostic, HvisaError, fail
from hvisa.runtime.devices import REFERENCE


def check_call(out: Any, copy: Any, timeout: Any, device: Any) -> None:
    """Every option of a call is of its kind."""
    if out is not None and not isinstance(out, Mapping):
        raise _wrong("out", out, "a mapping", "pass `out={\"y\": array}`, by the names of ports")
    if not isinstance(copy, (bool, np.bool)):
        raise _wrong("copy", copy, "True or False", "pass `copy=True` to leave `inout` arrays as "
                     "they are")
    check_timeout(timeout)
    if device is not None and not isinstance(device, str):
        raise _wrong("device", device, "a name", "see `hvisa devices`")


def check_timeout(timeout: Any) -> None:
    """A number of seconds, or None."""
    if timeout is None:
        return
    number = isinstance(timeout, (int, float, np.integer, np.floating))
    if not number or isinstance(timeout, bool) or not (isfinite(timeout) and timeout > 0):
        raise _wrong("timeout", timeout, "a number of seconds above 0",
                     "pass `timeout=2.5`, or leave it out for no limit")


def check_device(device: Any) -> None:
    """A device by a name that is known, or None."""
    if device is None or device == REFERENCE:
        return
    if not isinstance(device, str):
        raise _wrong("device", device, "a name", "see `hvisa devices`")
    from hvisa.translators.registry import BUILT_IN, translator_names, unknown_device
    if device not in BUILT_IN and device not in translator_names():
        raise unknown_device(device)


def read_instance(found: Any) -> tuple[str, tuple[int, ...]]:
    """The leaf ("" for any) and the grid ids of an instance to follow: from `3`, `(1, 2)`,
    `("leaf", (1, 2))`, or a text `1,2` or `leaf:1,2`."""
    node, ids = "", found
    if isinstance(found, str):
        node, _, words = found.rpartition(":")
        ids = [int(w) if w.strip().isdecimal() else w for w in words.split(",")] if words else []
        if not node and not words:
            ids = found
    elif isinstance(found, Sequence) and len(found) == 2 and isinstance(found[0], str):
        node, ids = found
    if isinstance(ids, (int, np.integer)):
        ids = (ids,)
    if isinstance(ids, str) or not isinstance(ids, Sequence) or not all(
            isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in ids):
        raise fail("HV1011", f"`{found}` names no instance",
                   help="write the ids of its grid, or the leaf and its ids: `3,4`, `blur:3,4`")
    return node.lstrip("@"), tuple(int(i) for i in ids)


def check_followed(device: str | None) -> None:
    """Only `reference` follows instances."""
    if device not in (None, REFERENCE):
        raise fail("HV1001", f"instances are followed on `{REFERENCE}` only, not on `{device}`",
                   help=f"leave out the device, or run on `{REFERENCE}`")


def check_externs(names: Sequence[str], given: Any, what: str) -> None:
    """HV0703 unless the host allows every extern function of a program, HV1002 unless those can be
    called. It may allow more: one table serves many programs."""
    if not isinstance(given, Mapping):
        raise _wrong("externs", given, "a mapping", "pass `externs={\"name\": function}`")
    errors = [_missing(name, given, what) for name in names if name not in given]
    errors += [Diagnostic(
        "HV1002", f"the extern function `{name}` is {given[name]!r}, which can't be called",
        help="pass a function") for name in names if not callable(given.get(name, callable))]
    if errors:
        raise HvisaError(errors)


def _missing(name: str, given: Mapping[Any, Any], what: str) -> Diagnostic:
    import difflib
    near = difflib.get_close_matches(name, [str(n) for n in given], 1)
    return Diagnostic(
        "HV0703", f"{what} calls the extern function `@{name}`, which the host does not allow",
        help=f"pass it: `hvisa.load(..., externs={{\"{name}\": function}})`"
        + (f"; `{near[0]}` was given" if near else ""))


def _wrong(name: str, value: Any, wanted: str, help: str) -> HvisaError:
    shown = repr(value)
    if isinstance(value, np.ndarray) or len(shown) > 40:
        shown = f"of type {type(value).__name__}"
    return fail("HV1002", f"`{name}` takes {wanted}, and it is {shown}", help=help)
