"""Which CPU this is: cheaply, for the cache's key, and in LLVM's words, for translating.

`cpu_fingerprint` and `llvm_fingerprint` are read from small files, without LLVM. Linux names in
/proc/cpuinfo, and LLVM reports, only those features whose registers the system saves (XCR0).

HVISA_CPU_FEATURES takes features away ("-avx512f,-fma", LLVM's names) and what rests on them with
it: translations for a lesser machine can be made and run on this one.

Source: LLVM, X86.td (which feature implies which) and Host.cpp (the test of XCR0).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import sys
from typing import NamedTuple

from hvisa.diagnostics import fail

# A feature and what it can't be without. Further ones of the family `avx512...` need `avx512f`.
_NEEDS: dict[str, tuple[str, ...]] = {
    "sse2": ("sse",), "sse3": ("sse2",), "ssse3": ("sse3",), "sse4.1": ("ssse3",),
    "sse4.2": ("sse4.1",), "sse4a": ("sse3",), "aes": ("sse2",), "pclmul": ("sse2",),
    "sha": ("sse2",), "gfni": ("sse2",), "avx": ("sse4.2",), "avx2": ("avx",), "f16c": ("avx",),
    "fma": ("avx",), "fma4": ("avx", "sse4a"), "xop": ("fma4",), "vaes": ("aes", "avx2"),
    "vpclmulqdq": ("avx", "pclmul"), "avxvnni": ("avx2",), "avxifma": ("avx2",),
    "avxneconvert": ("avx2",), "avxvnniint8": ("avx2",), "avxvnniint16": ("avx2",),
    "sha512": ("avx2",), "sm3": ("avx",), "sm4": ("avx2",),
    "avx512f": ("avx2", "f16c", "fma"), "avx512bf16": ("avx512bw",),
    "avx512bitalg": ("avx512bw",), "avx512vbmi": ("avx512bw",), "avx512vbmi2": ("avx512bw",),
    "avx512fp16": ("avx512bw", "avx512dq", "avx512vl"), "avx512bw": ("avx512f",),
    "avx10.1": ("avx512fp16", "avx512bf16", "avx512vbmi2"), "avx10.2": ("avx10.1",),
}


class HostCpu(NamedTuple):
    """The CPU in LLVM's words.

    `features` are those present ("+avx2"), sorted; `feature_string` is what a target machine
    takes: it also names each absent one, since the CPU's name alone would bring some of them back.
    """

    name: str
    features: tuple[str, ...]
    feature_string: str
    llvm_version: str


def host_cpu() -> HostCpu:
    """This CPU, less what HVISA_CPU_FEATURES takes away. Imports LLVM."""
    return _host_cpu(masked_features())


def cpu_fingerprint() -> str:
    """A text that differs where translated code may differ: model, features, mask.

    HV1109 where the system does not tell.
    """
    mask = ",".join(masked_features())
    return f"{_cpuinfo_fingerprint('/proc/cpuinfo')}{' -' + mask if mask else ''}"


@functools.cache
def llvm_fingerprint() -> str:
    """Which LLVM would translate, as the version and commit of llvmlite; "none" without one."""
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        return "none"
    with open(os.path.join(os.path.dirname(spec.origin), "_version.py"), encoding="utf-8") as file:
        words = [line.split("=")[1].strip(" '\"\n") for line in file
                 if line.startswith(("version_version", "version_full"))]
    if not words:
        raise fail("HV1109", "the installed llvmlite does not tell its version",
                   help="pip install --force-reinstall llvmlite")
    return "llvmlite " + " ".join(words)


def masked_features() -> tuple[str, ...]:
    """The features that HVISA_CPU_FEATURES takes away, sorted, in LLVM's names without a sign."""
    words = [word.strip() for word in os.environ.get("HVISA_CPU_FEATURES", "").split(",")]
    for word in words:
        if word and not re.fullmatch(r"-\w[\w.-]*", word, re.ASCII):
            raise fail("HV1109", f"HVISA_CPU_FEATURES holds `{word}`: it can only take features "
                       "away", help=f"write `-{word.lstrip('+-')}`")
    return tuple(sorted({word[1:] for word in words if word}))


@functools.cache
def _cpuinfo_fingerprint(path: str) -> str:
    wanted = ("vendor_id", "cpu family", "model", "flags")
    found: dict[str, str] = {}
    try:
        with open(path, encoding="utf-8") as file:
            # All cores are alike as far as programs can tell; the list ends with a blank line.
            for line in iter(file.readline, "\n"):
                if not line:
                    break
                key, _, value = line.partition(":")
                found[key.strip()] = value.strip()
    except OSError as error:
        raise fail("HV1109", f"this CPU's features are not known: {error}",
                   help="run the program on the device `reference`") from error
    if any(key not in found for key in wanted):
        raise fail("HV1109", f"{path} does not describe an x86-64 CPU on {sys.platform}",
                   help="run the program on the device `reference`")
    flags = " ".join(sorted(found["flags"].split()))
    digest = hashlib.sha256(flags.encode()).hexdigest()[:32]
    return f"{found['vendor_id']} {found['cpu family']} {found['model']} {digest}"


@functools.cache
def _host_cpu(mask: tuple[str, ...]) -> HostCpu:
    from llvmlite import binding
    reported: dict[str, bool] = binding.get_host_cpu_features()
    unknown = [feature for feature in mask if feature not in reported]
    if unknown:
        raise fail("HV1109", f"HVISA_CPU_FEATURES names `{unknown[0]}`, which LLVM does not know",
                   help="LLVM's names are like `avx512f`, `sse4.2`, `fma`")
    present = {f for f, enabled in reported.items() if enabled and f not in mask}
    absent = _without_needs(present) | (set(reported) - present)
    present -= absent
    # In this order a later "-" can't take away what an earlier "+" implied and keeps.
    words = [f"+{f}" for f in sorted(present)]
    return HostCpu(binding.get_host_cpu_name(), tuple(words),
                   ",".join([*words, *(f"-{f}" for f in sorted(absent))]),
                   ".".join(str(part) for part in binding.llvm_version_info))


def _without_needs(present: set[str]) -> set[str]:
    """Those of `present` that need something which is not."""
    lost: set[str] = set()
    while True:
        more = {f for f in present - lost
                if any(need not in present - lost for need in _needs(f))}
        if not more:
            return lost
        lost |= more


def _needs(feature: str) -> tuple[str, ...]:
    general = ("avx512f",) if feature.startswith("avx512") and feature != "avx512f" else ()
    return _NEEDS.get(feature, general)
