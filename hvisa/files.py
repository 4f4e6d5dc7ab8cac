"""Files of programs: read whole, told apart, written whole."""

from __future__ import annotations

import os

from hvisa.diagnostics import fail


def read_source(source: str | bytes | os.PathLike[str]) -> tuple[str, bytes]:
    """Name and bytes of what `hvisa.load` takes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytes(source)
    path = os.fspath(source)
    if isinstance(source, str) and ("\n" in path or "{" in path):
        return "<text>", path.encode("utf-8", "surrogatepass")
    return path, read_program(path)


def read_program(path: str) -> bytes:
    """The bytes of a .hvasm or .hvbc file. HV1020 if it can't be read, or is Python."""
    if path.endswith(".py"):
        out = path[:-3] + ".hvbc"
        raise fail("HV1020", f"`{path}` is Python, which is compiled first",
                   help=f"`hvisa compile {path} -o {out}`, then use `{out}`")
    return read_file(path)


def read_file(path: str) -> bytes:
    """The bytes of a file. HV1020 if it can't be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise fail("HV1020", f"`{path}` can't be read: {error.strerror}",
                   help="give the path of a .hvasm or .hvbc file") from error


def read_text(path: str) -> str:
    """The text of a file. HV1020 if it can't be read or is no UTF-8 text."""
    return decoded(read_file(path), path)


def decoded(data: bytes, name: str) -> str:
    """The text in UTF-8. HV1020 if it is something else."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise fail("HV1020", f"`{name}` is neither bytecode nor UTF-8 text (byte {error.start})",
                   help="give a .hvasm or .hvbc file") from error


def is_bytecode(data: bytes) -> bool:
    """Whether these are the bytes of a `.hvbc` file; else they are text."""
    from hvisa.assembler.layout import MAGIC
    return data.startswith(MAGIC)


def write_whole(path: str, data: bytes) -> None:
    """Write a file that appears whole or not at all. HV1022 if it can't be written."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise fail("HV1022", f"`{path}` can't be written: {error.strerror}",
                   help="choose a folder that exists and that you may write to") from error
