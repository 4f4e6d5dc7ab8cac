"""The command line: round trips, inputs and outputs, messages, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hvisa.cli.main import run_command
from hvisa.cli.options import parse_quickly
from hvisa.cli.run import OPTIONS
from hvisa.runtime.devices import preferred_devices
from tests.program.programs import DIVIDE, ENDLESS, SAXPY

GREY = """leaf @invert(in %x: buf<u8>[%h, %w], inout %count: buf<i32>[1],
    out %y: buf<u8>[%h, %w]) -> (%last: u8) {
  %r, %k = while (%i: index = 0, %v: u8 = 0) {
    %go = lt %i, %h
    check %go
  } do {
    %u = while (%j: index = 0) {
      %more = lt %j, %w
      check %more
    } do {
      %p = load %x[%i, %j]
      %q = sub 255, %p
      store %q, %y[%i, %j]
      %j1 = add %j, 1
      yield %j1
    }
    %i1 = add %i, 1
    yield %i1, %v
  }
  %c = load %count[0]
  %d = add %c, 1
  store %d, %count[0]
  yield 7
}
"""
SCALE = """leaf @scale(in %x: buf<f32>[%h, %w], out %y: buf<f32>[%h, %w]) grid(%i < %h, %j < %w) {
  %v = load %x[%i, %j]
  store %v, %y[%i, %j]
}
"""
STREAMS = """graph @inverted(in %x: stream<buf<u8>[%h, %w]>, out %y: stream<buf<u8>[%h, %w]>) {
  %z = node @invert(%x)
  yield %z
}
leaf @invert(in %a: buf<u8>[%h, %w], out %b: buf<u8>[%h, %w]) grid(%i < %h, %j < %w) {
  %v = load %a[%i, %j]
  %u = sub 255, %v
  store %u, %b[%i, %j]
}
graph @numbers(%x: stream<i32>) -> (%y: stream<i32>) {
  %z = node @part(%x)
  yield %z
}
leaf @part(%a: i32) -> (%b: i32) {
  %c = div 12, %a
  yield %c
}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in (("saxpy", SAXPY), ("divide", DIVIDE), ("spin", ENDLESS), ("grey", GREY),
                       ("scale", SCALE), ("streams", STREAMS)):
        (tmp_path / f"{name}.hvasm").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hvisa(folder, capsys):
    """Runs a command line: (exit code, stdout, stderr)."""
    def run(*words: str) -> tuple[int, str, str]:
        code = run_command(words)
        found = capsys.readouterr()
        return code, found.out, found.err
    return run


# -- run ---------------------------------------------------------------------------------------------

def test_literals_and_printed_outputs(hvisa):
    assert hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=[1,2,3]", "-i", "y=ones(3)") == (
        0, "y = [3., 5., 7.]\n", "")
    code, out, _ = hvisa("run", "saxpy.hvasm", "--input", "a=0x1p-1", "--input=x=[nan,inf,-inf]",
                         "--input", "y=zeros(3)", "--json", "--device", "reference")
    assert code == 0 and json.loads(out)["outputs"]["y"] == ["nan", "inf", "-inf"]
    assert hvisa("run", "spin.hvasm", "-i", "a=-3") == (0, "r = -3\n", "")


def test_arrays_from_and_to_files(hvisa):
    x = np.arange(4, dtype=np.float32)
    np.save("x.npy", x)
    np.savez("both.npz", x=x, y=x + 1)
    assert hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=x.npy", "-i", "y=both.npz:y", "-o",
                 "y=out.npy") == (0, "", "")
    assert np.load("out.npy").tolist() == [1, 4, 7, 10]
    assert hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=x.npy", "-i", "y=both.npz:x", "-o",
                 "y=out.npz")[0] == 0
    assert np.load("out.npz")["y"].tolist() == [0, 3, 6, 9]
    code, _, err = hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=x.npy", "-i", "y=both.npz")
    assert code == 1 and "HV1020" in err and "both.npz:x" in err
    assert not list(Path().glob("*.tmp"))


@pytest.mark.parametrize("words, code, text", [
    (["-i", "a=2", "-i", "x=[1]"], "HV1001", "needs `y`"),
    (["-i", "b=2", "-i", "a=1", "-i", "x=[1]", "-i", "y=[1]"], "HV1001", "no argument `b`"),
    (["-i", "a"], "HV1001", "has no `=`"),
    (["-i", "a=two"], "HV1002", "no such number"),
    (["-i", "x=[1,"], "HV1002", "no list"),
    (["-i", "x=[[1],[2,3]]"], "HV1003", "same length"),
    (["-i", "x=zeros(99999999999999)"], "HV1005", "no memory"),
    (["-i", "x=arange(99999999999999999999)"], "HV1005", "no memory"),
    (["-i", "x=zeros(99999999999,99999999999)"], "HV1005", "no memory"),
    (["-i", "x=gone.npy"], "HV1020", "gone.npy"),
    (["-i", "x=gone"], "HV1020", "there is no file `gone`"),
    (["-i", "x=saxpy.hvasm"], "HV1021", "saxpy.hvasm"),
    (["-o", "z=z.npy"], "HV1001", "no output `z`"),
    (["-e", "nothing"], "HV1009", "no entry"),
    (["-d", "nothing"], "HV1101", "no device"),
    (["--trace-instance", "x"], "HV1011", "names no instance"),
    (["--trace-instance", ""], "HV1011", "names no instance"),
    (["--trace-instance", "1,"], "HV1011", "names no instance"),
    (["--trace-instance", "-1"], "HV1011", "names no instance")])
def test_messages(hvisa, words, code, text):
    filled = words if len(words) > 2 or words[1] != "nothing" or words[0] != "-d" else [
        *words, "-i", "a=2", "-i", "x=[1]", "-i", "y=[1]"]
    status, out, err = hvisa("run", "saxpy.hvasm", *filled)
    assert (status, out) == (1, "") and f"error[{code}]" in err and text in err
    status, out, err = hvisa("run", "saxpy.hvasm", *filled, "--json")
    assert (status, err) == (1, "") and json.loads(out)["diagnostics"][0]["code"] == code


def test_traps_and_diagnosis(hvisa):
    words = ("run", "divide.hvasm", "-e", "divide", "-i", "x=[[1,0],[0,3]]")
    code, _, err = hvisa(*words)
    assert code == 3 and "HV0901" in err and "divide.hvasm:3:3" in err
    code, _, err = hvisa(*words, "--diagnose")
    assert code == 3 and "instance (0, 1) of @divide" in err
    assert "divide divide.hvasm:2: %v = load %x[%i, %j] -> 0\n" in err
    assert "divide divide.hvasm:3: %d = div 100, %v -> trap HV0901: division by zero\n" in err
    code, out, _ = hvisa(*words, "--json")
    assert code == 3 and json.loads(out)["diagnostics"][0]["line"] == 3


def test_reference_only_options(hvisa):
    code, out, _ = hvisa("run", "divide.hvasm", "-e", "divide", "-i", "x=[[1,2]]",
                         "--trace-instance", "divide:0,1")
    assert code == 0 and out == """\
divide divide.hvasm:1: @divide, instance [0, 1] of grid [1, 2]: %m = 1, %n = 2, %i = 0, %j = 1
divide divide.hvasm:2: %v = load %x[%i, %j] -> 2
divide divide.hvasm:3: %d = div 100, %v -> 50
divide divide.hvasm:4: store %d, %y[%i, %j] -> %y[0, 1] = 50
y = [[100,  50]]
"""
    words = ("run", "divide.hvasm", "-e", "divide", "-i", "x=[[1,2]]", "--trace-instance")
    assert hvisa(*words, "0,1") == (0, out, "")
    code, printed, err = hvisa(*words, "0,1", "--json")
    assert code == 0 and json.loads(printed)["outputs"]["y"] == [[100, 50]]
    assert out.startswith(err) and err.endswith("%y[0, 1] = 50\n")
    for entry, path in (("twice", "twice/divide"), ("divide", "divide")):
        code, out, _ = hvisa("run", "divide.hvasm", "-e", entry, "-i", "x=[[1,2]]", "--trace-instance",
                             "0,1", "--device", "reference")
        assert code == 0 and f"{path} divide.hvasm:3: %d = div 100, %v -> 50\n" in out
        code, out, err = hvisa("run", "divide.hvasm", "-e", entry, "-i", "x=[[1,2]]", "--trace-instance",
                               "0,2")
        assert (code, out) == (1, "") and "HV1011" in err and "its grid was [1, 2]" in err
        code, out, err = hvisa("run", "divide.hvasm", "-e", entry, "-i", "x=[[1,2]]", "--trace-instance",
                               "1")
        assert (code, out) == (1, "") and "HV1011" in err and "id" in err
    code, out, _ = hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=[1]", "-i", "y=[1]",
                         "--check-races")
    assert (code, out) == (0, "y = [3.]\n")
    for instance, text in (("divid:0,1", "did you mean `divide`?"), ("divide:0", "has 2 ids"),
                           ("divide:0,2", "its grid was [1, 2]"),
                           ("other/divide:0,0", "was not launched")):
        code, _, err = hvisa("run", "divide.hvasm", "-e", "divide", "-i", "x=[[1,2]]",
                             "--trace-instance", instance)
        assert code == 1 and "HV1011" in err and text in err, err
    for option in (["--check-races"], ["--trace-instance", "divide:0,0"], ["--trace-instance", "0,0"]):
        code, _, err = hvisa("run", "divide.hvasm", "-e", "divide", "-i", "x=[[1,2]]", *option,
                             "-d", "x86")
        assert code == 1 and "leave out `--device x86`" in err


def test_timeout(hvisa):
    code, _, err = hvisa("run", "spin.hvasm", "-i", "a=1", "--timeout", "0.1")
    assert code == 1 and "HV1008" in err


# -- images ------------------------------------------------------------------------------------------

def test_images(hvisa):
    image = pytest.importorskip("PIL.Image")
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    image.fromarray(pixels).save("a.png")
    assert hvisa("run", "grey.hvasm", "-i", "x=a.png", "-i", "count=zeros(1)", "-o", "y=b.png") == (
        0, "count = [1]\nlast = 7\n", "")
    assert np.array_equal(np.array(image.open("b.png")), 255 - pixels)
    code, _, err = hvisa("run", "scale.hvasm", "-i", "x=a.png")
    assert code == 1 and "HV1002" in err and "x=a.png:f32" in err
    assert hvisa("run", "scale.hvasm", "-i", "x=a.png:f32", "-o", "y=c.npy")[0] == 0
    assert np.array_equal(np.load("c.npy"), pixels.astype(np.float32) / np.float32(255))
    code, _, err = hvisa("run", "scale.hvasm", "-i", "x=a.png:f32", "-o", "y=d.png")
    assert code == 1 and "d.png:f32" in err and not Path("d.png").exists()
    assert hvisa("run", "scale.hvasm", "-i", "x=a.png:f32", "-o", "y=d.png:f32")[0] == 0
    assert np.array_equal(np.array(image.open("d.png")), pixels)
    image.fromarray(np.zeros((2, 2, 3), np.uint8) + np.uint8([1, 2, 3])).save("colour.png")
    code, _, err = hvisa("run", "grey.hvasm", "-i", "x=colour.png", "-i", "count=zeros(1)")
    assert code == 1 and "HV1003" in err and "x=colour.png:grey`" in err
    assert hvisa("run", "grey.hvasm", "-i", "x=colour.png:grey", "-i", "count=zeros(1)", "-o",
                 "y=e.npy")[0] == 0
    assert np.array_equal(np.load("e.npy"), 255 - np.array(image.open("colour.png").convert("L")))
    code, _, err = hvisa("run", "scale.hvasm", "-i", "x=colour.png:f32")
    assert code == 1 and "x=colour.png:grey:f32`" in err
    assert hvisa("run", "scale.hvasm", "-i", "x=colour.png:grey:f32", "-o", "y=f.npy")[0] == 0
    assert np.array_equal(np.load("f.npy"), (255 - np.load("e.npy")) / np.float32(255))


def test_numbers_of_other_types(hvisa):
    np.save("x.npy", np.array([[1, 1e-3]]))
    np.savez("x.npz", x=np.array([[1, 1e-3]]), f32=np.array([[1, 2]]))
    code, _, err = hvisa("run", "scale.hvasm", "-i", "x=x.npy")
    assert code == 1 and "HV1002" in err and "x=x.npy:f32" in err
    for source in ("x.npy:f32", "x.npz:x:f32"):
        assert hvisa("run", "scale.hvasm", "-i", f"x={source}", "-o", "y=y.npy") == (0, "", "")
        assert np.array_equal(np.load("y.npy"), np.float32([[1, 1e-3]]))
    assert "x.npz:f32:f32" in hvisa("run", "scale.hvasm", "-i", "x=x.npz:f32")[2]
    assert "HV1002" in hvisa("run", "scale.hvasm", "-i", "x=x.npy:i32")[2]


def test_helps_speak_of_options(hvisa):
    assert "`--timeout S`" in hvisa("run", "spin.hvasm", "-i", "a=1", "--timeout", "0.1")[2]
    err = hvisa("run", "scale.hvasm", "-i", "x=ones(1,1)", "-i", "y=ones(1,1)")[2]
    assert "`--output NAME=PATH`" in err


def test_version(hvisa):
    code, out, _ = hvisa("--version")
    assert code == 0 and out.startswith("hvisa ")
    assert "--version" in hvisa("--help")[1]


def test_frames(hvisa):
    """Called once a frame; what is updated in place goes on from frame to frame."""
    image = pytest.importorskip("PIL.Image")
    os.mkdir("in")
    frames = [np.full((2, 3), 10 * n, np.uint8) for n in range(3)]
    for number, frame in enumerate(frames):
        image.fromarray(frame).save(f"in/{number}.png")
    code, out, _ = hvisa("run", "grey.hvasm", "-i", "x=in", "-i", "count=zeros(1)", "-o", "y=out",
                         "-o", "count=count.npy")
    assert code == 0 and "frame 2: last = 7" in out
    assert np.load("count.npy").tolist() == [[1], [2], [3]]
    assert sorted(os.listdir("out")) == ["00000.png", "00001.png", "00002.png"]
    assert np.array_equal(np.array(image.open("out/00002.png")), 255 - frames[2])
    assert hvisa("run", "grey.hvasm", "-i", "x=in", "-i", "count=zeros(1)", "-o", "y=out.gif")[0] == 0
    assert hvisa("run", "grey.hvasm", "-i", "x=out.gif", "-i", "count=zeros(1)", "-o",
                 "y=back.npy")[0] == 0
    assert np.array_equal(np.load("back.npy"), np.stack(frames))
    code, _, err = hvisa("run", "grey.hvasm", "-i", "x=in", "-i", "count=zeros(1)", "-o", "y=out")
    assert code == 1 and "not empty" in err


def test_videos(hvisa):
    """A video is one frame a call, and the frames of an output make one."""
    pytest.importorskip("av")
    frames = [np.full((32, 48), 40 * n, np.uint8) for n in range(4)]
    os.mkdir("in")
    for number, frame in enumerate(frames):
        np.save(f"in/{number}.npy", frame)
    words = ("run", "grey.hvasm", "-i", "count=zeros(1)", "-i")
    assert hvisa(*words, "x=in", "-o", "y=y.mp4")[0] == 0
    assert hvisa(*words, "x=y.mp4:grey", "-o", "y=back.npy")[0] == 0
    back = np.load("back.npy").astype(int)
    assert back.shape == (4, 32, 48)
    assert np.abs(back - np.stack(frames)).max() <= 3  # lossy, and 8 bits were squeezed into 16 to 235
    with open("cut.mp4", "wb") as file:
        file.write(b"no video at all")
    code, _, err = hvisa(*words, "x=cut.mp4")
    assert code == 1 and "HV1020" in err
    np.save("in/4.npy", np.zeros((32, 47), np.uint8))
    code, _, err = hvisa(*words, "x=in", "-o", "y=odd.mp4")
    assert code == 1 and "even sides" in err and not os.path.exists("odd.mp4")


def test_streams(hvisa):
    """One call takes all items; those of an output go to a folder, a .gif or an array."""
    image = pytest.importorskip("PIL.Image")
    os.mkdir("in")
    frames = np.stack([np.full((2, 3), 10 * n, np.uint8) for n in range(3)])
    for number, frame in enumerate(frames):
        image.fromarray(frame).save(f"in/{number}.png")
    np.save("frames.npy", frames)
    np.savez("frames.npz", x=frames)
    words = ("run", "streams.hvasm", "-e", "inverted", "-i")
    for source in ("in", "frames.npy", "frames.npz", "frames.npz:x", json.dumps(frames.tolist())):
        assert hvisa(*words, f"x={source}", "-o", "y=y.npy") == (0, "", ""), source
        assert np.array_equal(np.load("y.npy"), 255 - frames)
    assert hvisa(*words, "x=in", "-o", "y=out")[0] == 0
    assert sorted(os.listdir("out")) == ["00000.png", "00001.png", "00002.png"]
    assert hvisa(*words, "x=in", "-o", "y=y.gif")[0] == 0
    assert hvisa(*words, "x=y.gif", "-o", "y=y.npz")[0] == 0
    assert np.array_equal(np.load("y.npz")["y"], frames)
    assert hvisa(*words, "x=zeros(1,2,3)", "-o", "y=one.npy")[0] == 0
    assert np.load("one.npy").shape == (1, 2, 3)
    assert hvisa(*words, "x=[[[1,2,3],[4,5,6]]]")[:2] == (
        0, "y = [[[254, 253, 252],\n [251, 250, 249]]]\n")
    words = ("run", "streams.hvasm", "-e", "numbers", "-i")
    assert hvisa(*words, "x=[1,2,3]") == (0, "y = [12, 6, 4]\n", "")
    assert hvisa(*words, "x=[]") == (0, "y = []\n", "")
    assert json.loads(hvisa(*words, "x=ones(2)", "--json")[1])["outputs"] == {"y": [12, 12]}
    assert "no such number" in hvisa(*words, "x=[1.5]")[2]


# -- text and bytecode -------------------------------------------------------------------------------

def test_assemble_and_disassemble(hvisa):
    assert hvisa("asm", "saxpy.hvasm") == (0, "", "")
    code, text, _ = hvisa("dis", "saxpy.hvbc")
    assert code == 0
    Path("again.hvasm").write_text(text)
    assert hvisa("asm", "again.hvasm", "-o", "again.hvbc")[0] == 0
    assert Path("again.hvbc").read_bytes() == Path("saxpy.hvbc").read_bytes()
    assert hvisa("dis", "again.hvbc", "-o", "third.hvasm")[0] == 0
    assert Path("third.hvasm").read_text() == text
    assert hvisa("run", "saxpy.hvbc", "-i", "a=2", "-i", "x=[1]", "-i", "y=[1]")[1] == "y = [3.]\n"


def test_format(hvisa):
    messy = SAXPY.replace("  %xi = load", "// twice\n     %xi =   load")
    Path("messy.hvasm").write_text(messy)
    assert hvisa("fmt", "--check", "saxpy.hvasm", "messy.hvasm") == (
        1, "", "would change messy.hvasm\n")
    assert Path("messy.hvasm").read_text() == messy
    assert hvisa("fmt", "messy.hvasm") == (0, "", "changed messy.hvasm\n")
    assert "  // twice\n  %xi = load %x[%i]\n" in Path("messy.hvasm").read_text()
    assert hvisa("fmt", "--check", "messy.hvasm") == (0, "", "")


def test_verify(hvisa):
    Path("bad.hvasm").write_text(SAXPY.replace("mul %a, %xi", "mul %a, %i"))
    code, out, err = hvisa("verify", "saxpy.hvasm", "bad.hvasm")
    assert code == 1 and out == "saxpy.hvasm: ok\n" and "error[HV0203]" in err
    code, out, err = hvisa("verify", "bad.hvasm", "--json")
    assert code == 1 and not err
    found = json.loads(out)
    assert not found["ok"] and found["diagnostics"][0]["line"] == 4
    assert json.loads(hvisa("verify", "saxpy.hvasm", "--json")[1]) == {"ok": True, "diagnostics": []}


# -- the rest ----------------------------------------------------------------------------------------

def test_explain(hvisa):
    assert "types differ" in hvisa("explain", "hv0203")[1]
    assert hvisa("explain", "HV9999")[0] == 1
    code, out, _ = hvisa("explain", "saxpy.hvasm")
    assert code == 0 and "effect class: exact" in out and "bytes of code" in out
    assert "define" in hvisa("explain", "saxpy.hvasm", "--ir")[1]
    assert "hvisa_entry:" in hvisa("explain", "saxpy.hvasm", "--asm", "-d", "x86")[1]
    code, out, _ = hvisa("explain", "saxpy.hvasm", "-d", "reference")
    assert code == 0 and "interpreted" in out
    code, _, err = hvisa("explain", "saxpy.hvasm", "-d", "reference", "--asm")
    assert code == 1 and "no code to show" in err


def test_explain_streams(hvisa):
    code, out, _ = hvisa("explain", "streams.hvasm", "-e", "inverted", "-d", "x86")
    assert code == 0 and "moves the items" in out and "@invert:\n" in out and "bytes of code" in out
    assert "HV1103" not in hvisa("explain", "streams.hvasm", "-e", "numbers")[1]


def test_devices_and_cache(hvisa):
    assert "reference" in hvisa("devices")[1]
    assert json.loads(hvisa("devices", "--json")[1])["devices"][-1]["name"] == "reference"
    hvisa("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=[1]", "-i", "y=[1]")
    assert "entries" in hvisa("cache")[1]
    assert hvisa("cache", "prune") == (0, "removed 0 entries\n", "")
    assert hvisa("cache", "clear")[1] != "removed 0 entries\n"
    assert hvisa("cache", "info")[1].split(": ")[1].startswith("0 entries")
    assert hvisa("cache", "burn")[0] == 1


@pytest.mark.parametrize("command", ["run", "asm", "dis", "fmt", "verify", "devices", "explain",
                                     "cache"])
def test_help_has_an_example(hvisa, command):
    code, out, _ = hvisa(command, "--help")
    assert code == 0 and "Example" in out and f"hvisa {command}" in out
    assert "│" in out or "--help" in out


@pytest.mark.parametrize("words", [[], ["run"], ["run", "--nothing", "x"], ["nothing"],
                                   ["run", "saxpy.hvasm", "--timeout", "soon"],
                                   ["run", "saxpy.hvasm", "twice.hvasm"], ["run", "-i"]])
def test_wrong_command_lines(hvisa, words):
    assert hvisa(*words)[0] == 2


def test_the_quick_parser_reads_what_typer_reads(monkeypatch):
    """Both come from one table; each well-formed line gives the same call."""
    import typer

    from hvisa.cli.options import typer_function
    lines = [["f"], ["f", "-i", "a=1", "--input", "b=2"], ["--json", "f", "--timeout=2.5"],
             ["f", "-e", "x", "--device", "d", "--diagnose", "-o", "a=b", "--check-races"],
             ["--trace-instance", "n:1", "f"], ["f", "--input=x=[1,2]", "-i", "y=-1"]]
    for line in lines:
        seen: dict[str, object] = {}
        app = typer.Typer()
        app.command()(typer_function(lambda seen=seen, **values: seen.update(values), OPTIONS))
        app(line, standalone_mode=False)
        assert parse_quickly(OPTIONS, line) == seen


def test_as_a_process(folder):
    def run(*words: str):
        return subprocess.run([sys.executable, "-m", "hvisa", *words], capture_output=True, text=True,
                              timeout=60, check=False,
                              env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])})
    found = run("run", "saxpy.hvasm", "-i", "a=2", "-i", "x=[1]", "-i", "y=[1]")
    assert (found.returncode, found.stdout, found.stderr) == (0, "y = [3.]\n", "")
    assert run("run", "divide.hvasm", "-i", "x=[[0]]").returncode == 3
    assert run("verify", "gone.hvasm").returncode == 1
    assert run("run").returncode == 2


def test_translate(hvisa):
    """Fills the cache once; what a device declines is said and counts as an error."""
    native = [d for d in preferred_devices() if d != "reference"]
    code, out, _ = hvisa("translate", "scale.hvasm")
    assert code == 0 and "@scale for reference: interpreted" in out
    for device in native:
        assert f"@scale for {device}: translated, " in out or \
            f"@scale for {device}: in the cache already, " in out
    named = (f"-d{d}" for d in ("reference", *native))
    code, out, _ = hvisa("translate", "scale.hvasm", *named, "--json")
    rows = json.loads(out)["translations"]
    assert [r["state"] for r in rows[1:]] == ["in the cache already"] * len(native)
    assert all(r["bytes"] > 0 for r in rows[1:])
    assert hvisa("translate", "scale.hvasm", "-d", "nothing")[0] == 1
    with open("host.hvasm", "w", encoding="utf-8") as file:
        file.write("extern func @h(in %x: buf<f32>[%n]) -> (f32) exact\n"
                   "leaf @f(in %x: buf<f32>[%n]) -> (f32) {\n  %t = call @h(%x)\n  yield %t\n}\n")
    for device in native:
        code, out, err = hvisa("translate", "host.hvasm", "-d", device)
        assert code == 1 and "declined" in out and "HV1103" in err
