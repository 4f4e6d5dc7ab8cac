"""What this installation and machine are: for `hvisa.show_config()` and reports of faults."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from hvisa import __version__
from hvisa.diagnostics import HvisaError
from hvisa.runtime.devices import Device, list_devices

_PACKAGES = ("numpy", "llvmlite", "lark", "networkx", "ml_dtypes", "typer", "rich", "pillow")


def devices() -> list[Device]:
    """The devices of this machine: name, whether it can be used, and what it is."""
    return list_devices()


def show_config(mode: str = "print") -> dict[str, Any] | None:
    """Versions, CPU, devices, threads and cache; printed, or with `mode="dict"` as plain data.

    Nothing in it is private: no user or host name.
    """
    found = _config()
    if mode == "dict":
        return found
    width = max(map(len, found))
    for name, value in found.items():
        shown = value if not isinstance(value, dict) else ", ".join(
            f"{k} {v}" for k, v in value.items())
        print(f"{name:<{width}}  {shown}")
    return None


def _config() -> dict[str, Any]:
    from hvisa.runtime.team import process_team
    return {"hvisa": __version__,
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "system": f"{platform.system()} {platform.machine()}",
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
            **_cpu(), "team": process_team().describe(), "cache": _cache(),
            "devices": {d.name: d.summary if d.available else f"no: {d.summary}"
                        for d in devices()}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _cpu() -> dict[str, Any]:
    try:
        from hvisa.translators.llvm.host import host_cpu
        host = host_cpu()
    except (HvisaError, ImportError) as error:
        return {"cpu": f"no native code: {error}"}
    return {"llvm": host.llvm_version, "cpu": host.name,
            "features": " ".join(f[1:] for f in host.features)}


def _cache() -> str:
    from hvisa.runtime.cache import default_directory
    found = default_directory()
    if found is None:
        return "off"
    home = os.path.expanduser("~")
    return f"~{str(found)[len(home):]}" if str(found).startswith(f"{home}/") else str(found)
