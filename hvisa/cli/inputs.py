"""Inputs of `hvisa run`: from words on the command line to values of ports. Nothing is guessed: a
file whose type is not the port's is refused, with the word that would take it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from hvisa.cli import video
from hvisa.diagnostics import HvisaError, fail
from hvisa.runtime.host_values import as_array, from_numbers, scalar_value
from hvisa.runtime.layout import PortLayout, Signature

_MADE = re.compile(r"(zeros|ones|arange)\(\s*([\d\s,]*)\)")
IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm")


class Inputs:
    """The values of each round. `frames` is the number of rounds, 1 without any folder, .gif or .mp4."""

    def __init__(self, signature: Signature, words: Mapping[str, str]):
        ports = {p.name: p for p in signature.taken}
        self._fixed: dict[str, Any] = {}
        self._moving: dict[str, Sequence[Any]] = {}
        for name, word in words.items():
            port = ports.get(name)
            if port is None:
                self._fixed[name] = word  # the launch says what it takes
                continue
            found = _read_items(word, port) if port.item is not None else read_input(word, port)
            if isinstance(found, Frames):
                self._moving[name] = found
            else:
                self._fixed[name] = found
        counts = {name: len(f) for name, f in self._moving.items()}
        if len(set(counts.values())) > 1:
            raise fail("HV1004", "inputs have different numbers of frames: "
                       + ", ".join(f"`{n}` {c}" for n, c in counts.items()),
                       help="give folders with the same number of files")
        self.frames = next(iter(counts.values()), 1)

    def rounds(self) -> Iterator[dict[str, Any]]:
        """The arguments of each launch."""
        for number in range(self.frames):
            yield {**self._fixed, **{n: f[number] for n, f in self._moving.items()}}


class Frames(Sequence[Any]):
    """Images that are read one at a time."""

    def __init__(self, places: Sequence[tuple[str, int]], port: PortLayout, ways: Ways):
        self._places = places
        self._port = port
        self._ways = ways

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: Any) -> Any:
        path, frame = self._places[number]
        return read_image(path, frame, self._port, self._ways)


class VideoFrames(Frames):
    """Pictures of a video, decoded one at a time."""

    def __init__(self, path: str, port: PortLayout, ways: Ways):
        self._video = video.Video(path)
        super().__init__([(path, n) for n in range(self._video.count)], port, ways)

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self):
            raise IndexError(number)
        array = self._video.frame(number, self._ways.grey)
        return _taken(self._video.path, _single(array, self._port.rank), self._port, self._ways)


def read_input(word: str, port: PortLayout) -> Any:
    """The value that a word means for a port."""
    if port.kind == "scalar":
        return _number(word, port)
    if word.startswith("["):
        return _list(word, port)
    made = _MADE.fullmatch(word)
    if made:
        return _made(made[1], made[2], port)
    return _file(*_parted(word), port)


def _parted(word: str) -> tuple[str, list[str]]:
    """Path, and what comes after its colons."""
    path, suffixes = word, list[str]()
    while ":" in path and not os.path.exists(path):
        path, _, suffix = path.rpartition(":")
        suffixes.insert(0, suffix)
    return path, suffixes


def _read_items(word: str, port: PortLayout) -> list[Any]:
    """The items of a stream: of a list, of an array's first axis, or the frames of a folder."""
    item = copy(port.item)
    assert item is not None
    item.name = port.name
    if word.startswith("["):
        numbers = _parsed(word)
        return [_number(str(n).lower(), item) if item.kind == "scalar" else
                as_array(n, item, f"item {number} of `{port.name}`")[0].copy()
                for number, n in enumerate(numbers)]
    made = _MADE.fullmatch(word)
    found = _made(made[1], made[2], item) if made else _file(*_parted(word), item)
    if isinstance(found, np.ndarray) and not made and word.lower().endswith(IMAGES):
        return [found]
    return list(found)


def _number(word: str, port: PortLayout) -> Any:
    from hvisa.spec.literals import LiteralError, parse_literal
    try:
        return scalar_value(parse_literal(word, port.element), port)
    except (LiteralError, ValueError) as error:
        raise fail("HV1002", f"`{port.name}` is {port.text}, and `{word}` is no such number: {error}",
                   help="write a number, such as `2.5`") from error


def _list(word: str, port: PortLayout) -> Any:
    return as_array(_parsed(word), port, f"`{port.name}`")[0].copy()


def _parsed(word: str) -> Any:
    try:
        return json.loads(re.sub(r"\b(-?)(nan|inf)\b", lambda m: m[1] + (
            "NaN" if m[2] == "nan" else "Infinity"), word))
    except json.JSONDecodeError as error:
        raise fail("HV1002", f"`{word}` is no list of numbers: {error.msg} at character {error.pos}",
                   help="write it like `[1,2,3]` or `[[1,0],[0,1]]`, without blanks or in quotes"
                   ) from error


def _made(kind: str, extents: str, port: PortLayout) -> Any:
    shape = [int(n) for n in extents.split(",") if n.strip()]
    try:
        return _made_array(kind, shape, port)
    except (MemoryError, ValueError, OverflowError) as error:
        if isinstance(error, HvisaError):
            raise
        raise fail("HV1005", f"there is no memory for `{port.name}` of shape {shape}: {error}",
                   help="use smaller sizes") from error


def _made_array(kind: str, shape: list[int], port: PortLayout) -> Any:
    if kind == "arange":
        if len(shape) != 1:
            raise fail("HV1003", f"`arange` takes one number, {len(shape)} given",
                       help="write `arange(10)`")
        return np.arange(shape[0]).astype(port.dtype)
    if port.element.name == "bf16":
        return np.full(shape, 0x3F80 if kind == "ones" else 0, port.dtype)
    return (np.ones if kind == "ones" else np.zeros)(shape, port.dtype)


# -- files -------------------------------------------------------------------------------------------

def _file(path: str, suffixes: list[str], port: PortLayout) -> Any:
    lower = path.lower()
    if os.path.isdir(path):
        names = sorted(n for n in os.listdir(path) if n.lower().endswith(IMAGES)
                       or n.lower().endswith(".npy"))
        if not names:
            raise fail("HV1020", f"the folder `{path}` holds no images",
                       help=f"frames end in {', '.join(IMAGES)} or .npy")
        return Frames([(os.path.join(path, n), 0) for n in names], port, _ways(suffixes, port))
    try:
        if lower.endswith(".npy"):
            return _numbers(np.load(path, allow_pickle=False), path, suffixes, port)
        if lower.endswith(".npz"):
            return _from_npz(path, suffixes, port)
        if lower.endswith(".gif"):
            return Frames([(path, n) for n in range(_frame_count(path))], port, _ways(suffixes, port))
        if lower.endswith(video.ENDING) and os.path.exists(path):
            return VideoFrames(path, port, _ways(suffixes, port))
        if lower.endswith(IMAGES):
            return read_image(path, 0, port, _ways(suffixes, port))
    except (OSError, ValueError, EOFError, KeyError) as error:
        if isinstance(error, HvisaError):
            raise
        raise fail("HV1020", f"`{path}` can't be read: {error}", help="check the path") from error
    if not os.path.exists(path):
        raise fail("HV1020", f"`{port.name}` is {port.text}, and there is no file `{path}`",
                   help="give a file, a list like `[1,2,3]`, or `zeros(3)`")
    raise fail("HV1021", f"`{path}` does not tell what is in it",
               help=f"inputs end in .npy, .npz, {video.ENDING} or {', '.join(IMAGES)}")


def _numbers(array: Any, path: str, suffixes: list[str], port: PortLayout) -> Any:
    """An array of a file; `PATH:f32` rounds its numbers to the port's type."""
    if suffixes and suffixes != [port.element.name]:
        raise fail("HV1002", f"`{port.name}` is {port.text}, and `{path}` can't be taken as "
                   f"`{':'.join(suffixes)}`", help=f"`{path}:{port.element.name}` converts its numbers")
    if suffixes:
        return from_numbers(array, port, f"`{port.name}`")
    kinds = "iuf" if port.element.is_float else "iu" if port.element.is_integer else ""
    if array.dtype.newbyteorder("=") != port.dtype and array.dtype.kind in kinds:
        raise fail("HV1002", f"`{port.name}` is {port.text}, and `{path}` holds {array.dtype}",
                   help=f"write `{port.name}={path}:{port.element.name}` to convert its numbers")
    return array


def _from_npz(path: str, suffixes: list[str], port: PortLayout) -> Any:
    with np.load(path, allow_pickle=False) as arrays:
        names = list(arrays)
        named = suffixes and (suffixes[0] != port.element.name or suffixes[0] in names)
        key, rest = (suffixes[0], suffixes[1:]) if named else ("", suffixes)
        if not key and len(names) == 1:
            key = names[0]
        if key not in names:
            raise fail("HV1020", f"`{path}` holds {', '.join(f'`{n}`' for n in names)}" + (
                f", not `{key}`" if key else ": which one?"),
                help=f"write `{path}:{names[0]}`" if names else "")
        return _numbers(arrays[key], f"{path}:{key}", rest, port)


class Ways(NamedTuple):
    """How images are taken: as greys (`:grey`), as 0 to 1 (`:f32`, the port's own float type)."""

    grey: bool
    scaled: bool


def _ways(suffixes: list[str], port: PortLayout) -> Ways:
    scaling = [s for s in suffixes if s != "grey"]
    for suffix in scaling:
        if suffix != port.element.name or not port.element.is_float or suffix == "bf16":
            raise fail("HV1002", f"`{port.name}` is {port.text}, and images can't be taken as "
                       f"`{suffix}`", help="`PATH:f32` scales an image for an f32 port to 0..1, "
                       "`PATH:grey` makes one of greys")
    return Ways("grey" in suffixes, bool(scaling))


def read_image(path: str, frame: int, port: PortLayout, ways: Ways) -> Any:
    """One image as [h, w] or [h, w, channels]: u8, i1 for black-and-white, u16 for 16-bit grey;
    with `scaled` as floats from 0 to 1."""
    if path.lower().endswith(".npy"):
        numbers = np.load(path, allow_pickle=False)
        return _numbers(numbers, path, [port.element.name] if ways.scaled else [], port)
    return _taken(path, _pixels(path, frame, port.rank, ways.grey), port, ways)


def _taken(path: str, array: Any, port: PortLayout, ways: Ways) -> Any:
    """Pixels as the port wants them, or the error that says what would take them."""
    suffix = f":{port.element.name}" if ways.scaled else ""
    if port.rank == 2 and array.ndim == 3:
        raise fail("HV1003", f"`{port.name}` is {port.text}, and `{path}` has {array.shape[2]} channels",
                   help=f"write `{port.name}={path}:grey{suffix}` to take its greys")
    if ways.scaled:
        top = 255 if array.dtype == np.uint8 else 1 if array.dtype == bool else 65535
        return array.astype(port.dtype) / port.dtype.type(top)
    if array.dtype != port.dtype:
        kind = {"bool": "i1", "uint8": "u8", "uint16": "u16"}.get(str(array.dtype), array.dtype)
        help = (f"write `{port.name}={path}:{port.element.name}` to take it as 0 to 1"
                if port.element.is_float else "convert it to a .npy of the right type")
        raise fail("HV1002", f"`{port.name}` is {port.text}, and `{path}` holds {kind}", help=help)
    return array


def _pixels(path: str, frame: int, rank: int, grey: bool) -> Any:
    with _opened(path) as image:
        image.seek(frame)
        if grey and image.mode not in ("L", "I;16"):
            array = np.array(image.convert("L"))
        elif image.mode in ("1", "L", "RGB", "RGBA", "LA", "I;16"):
            array = np.array(image)
        else:
            array = np.array(image.convert("RGBA" if "A" in image.mode else "RGB"))
    return _single(array, rank)


def _single(array: Any, rank: int) -> Any:
    """A palette of greys, or a frame that is given in colour, is still grey."""
    if rank == 2 and array.ndim == 3 and (array[..., :1] == array[..., :3]).all():
        return np.ascontiguousarray(array[..., 0])
    return array


def _frame_count(path: str) -> int:
    with _opened(path) as image:
        return int(getattr(image, "n_frames", 1))


def _opened(path: str) -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise fail("HV1021", f"`{path}` is an image, and Pillow is not installed",
                   help="pip install hvisa[cli]") from error
    return Image.open(path)
