"""The devices of this machine, and which one an entry runs on if nobody says."""

from __future__ import annotations

import sys
from typing import NamedTuple

from hvisa.diagnostics import HvisaError
from hvisa.runtime.cores import usable_threads

REFERENCE = "reference"


class Device(NamedTuple):
    """A device: whether it can be used, and in words what it is or why it can't."""

    name: str
    available: bool
    summary: str


def preferred_devices() -> list[str]:
    """Names in the order in which they are tried for an entry."""
    if _why_no_native_code():
        return [REFERENCE]
    return (["multicore"] if usable_threads() > 1 else []) + ["x86", REFERENCE]


def list_devices() -> list[Device]:
    """Every device that this installation knows."""
    from hvisa.translators.registry import BUILT_IN, translator_names
    reason = _why_no_native_code()
    threads = usable_threads()
    words = {"x86": "one thread of this CPU",
             "multicore": f"{threads} {'thread' if threads == 1 else 'threads'} of this CPU"}
    found = [Device(name, not reason, reason or words.get(name, "of a plug-in"))
             for name in translator_names() if name in BUILT_IN]
    found += [Device(name, True, "of a plug-in") for name in translator_names()
              if name not in BUILT_IN]
    found.append(Device(REFERENCE, True, "the interpreter, judge of all others"))
    return found


def _why_no_native_code() -> str:
    """Why this process can't run code of the CPU translators; empty if it can."""
    from hvisa.runtime.loader import require_host
    from hvisa.translators.llvm.host import cpu_fingerprint
    try:
        require_host()
        cpu_fingerprint()
    except HvisaError as error:
        return error.diagnostics[0].message
    return "" if sys.byteorder == "little" else "the machine is not little-endian"
