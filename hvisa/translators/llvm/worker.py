"""The child process that runs LLVM for a `Builder`, and the words that both sides exchange.

A message is a 32-bit length and as many bytes. A request holds fields, each with its own length;
an answer is one byte for its kind, then the object or the fields of an error. The child answers
requests in order until its input ends.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple

LENGTH = struct.Struct("<I")
OBJECT, ERROR = 0, 1

# A translation that needs more than this would take the machine down with it.
MEMORY_LIMIT_BYTES = 4 << 30


class Job(NamedTuple):
    """One call of `build_object`."""

    ir: str
    cpu: str
    features: str
    opt_level: int
    triple: str
    name: str


def pack_fields(*fields: str) -> bytes:
    """The fields as one block of bytes."""
    coded = [field.encode("utf-8", "surrogatepass") for field in fields]
    return b"".join(LENGTH.pack(len(field)) + field for field in coded)


def unpack_fields(block: bytes) -> list[str]:
    """The fields of a block made by `pack_fields`."""
    fields: list[str] = []
    at = 0
    while at < len(block):
        (length,) = LENGTH.unpack_from(block, at)
        at += LENGTH.size + length
        fields.append(block[at - length:at].decode("utf-8", "surrogatepass"))
    return fields


def pack_job(job: Job) -> bytes:
    """The whole message that asks a child for one object."""
    block = pack_fields(job.ir, job.cpu, job.features, str(job.opt_level), job.triple, job.name)
    return LENGTH.pack(len(block)) + block


def _answer(block: bytes) -> tuple[int, bytes]:
    from hvisa.diagnostics import HvisaError
    from hvisa.translators.llvm.build import build_object
    ir, cpu, features, opt_level, triple, name = unpack_fields(block)
    try:
        return OBJECT, build_object(ir, cpu=cpu, features=features, opt_level=int(opt_level),
                                    triple=triple, name=name)
    except HvisaError as error:
        first = error.diagnostics[0]
        return ERROR, pack_fields(first.code, first.message, first.help)


def _read(handle: int, count: int) -> bytes | None:
    """Exactly `count` bytes, or None at the end of the input."""
    parts: list[bytes] = []
    while count:
        part = os.read(handle, count)
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest):]


def _set_limits() -> None:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_LIMIT_BYTES if hard < 0 else min(hard, MEMORY_LIMIT_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def main() -> None:
    """Serves requests from standard input until it ends."""
    # LLVM may print: what it prints must not mix with the answers.
    answers = os.dup(1)
    os.dup2(2, 1)
    _set_limits()
    while True:
        header = _read(0, LENGTH.size)
        block = _read(0, LENGTH.unpack(header)[0]) if header else None
        if block is None:
            break
        kind, body = _answer(block)
        _write(answers, LENGTH.pack(1 + len(body)) + bytes((kind,)) + body)
    # Tearing LLVM down takes time and gives nothing back.
    os._exit(0)


if __name__ == "__main__":
    main()
