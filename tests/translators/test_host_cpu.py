"""What is known of the CPU, with and without LLVM."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hvisa.diagnostics import HvisaError
from hvisa.translators.llvm import host
from hvisa.translators.llvm.host import cpu_fingerprint, host_cpu, llvm_fingerprint

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="Linux on x86-64 only")

ROOT = Path(__file__).resolve().parents[2]
# Names differ between Linux and LLVM; these need the system to save registers.
FLAGS = {"avx": "avx", "avx2": "avx2", "fma": "fma", "f16c": "f16c", "avx512f": "avx512f",
         "avx512bw": "avx512bw", "avx512dq": "avx512dq", "avx512vl": "avx512vl",
         "avx512_bf16": "avx512bf16", "avx512_vnni": "avx512vnni", "vaes": "vaes",
         "amx_tile": "amx-tile"}


@pytest.fixture(autouse=True)
def no_mask(monkeypatch):
    monkeypatch.delenv("HVISA_CPU_FEATURES", raising=False)


def test_llvm_and_linux_agree_on_what_is_enabled():
    pytest.importorskip("llvmlite")
    flags = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
    present = host_cpu().features
    for linux, llvm in FLAGS.items():
        assert (linux in flags) == (f"+{llvm}" in present), llvm


def test_host_is_described_in_full():
    pytest.importorskip("llvmlite")
    cpu = host_cpu()
    assert list(cpu.features) == sorted(cpu.features)
    assert "+sse2" in cpu.features
    words = cpu.feature_string.split(",")
    assert set(cpu.features) == {w for w in words if w.startswith("+")}
    assert len({w[1:] for w in words}) == len(words)
    assert int(cpu.llvm_version.split(".")[0]) >= 15


def test_mask_takes_dependents_away(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setenv("HVISA_CPU_FEATURES", "-avx2")
    cpu = host_cpu()
    assert not [f for f in cpu.features if f.startswith(("+avx2", "+avx512", "+vaes"))]
    monkeypatch.setenv("HVISA_CPU_FEATURES", " -fma , -sse3")
    assert not [f for f in host_cpu().features if f.startswith(("+fma", "+avx", "+sse4", "+f16c"))]


SUM = """
define void @scale(ptr noalias %x, ptr noalias %y) "prefer-vector-width"="512" {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %a = load float, ptr %p
  %b = load float, ptr %q
  %c = call contract float @llvm.fmuladd.f32(float %a, float %b, float %a)
  store float %c, ptr %q
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, 4096
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
declare float @llvm.fmuladd.f32(float, float, float)
"""


def assembly(cpu: host.HostCpu) -> str:
    """The assembly that LLVM makes of SUM for a CPU."""
    from hvisa.translators.llvm.build import _llvm, _optimise, _target
    llvm = _llvm()
    machine = _target("x86_64-unknown-linux-gnu").create_target_machine(
        cpu=cpu.name, features=cpu.feature_string, opt=3, reloc="pic", codemodel="small")
    module = llvm.parse_assembly(SUM)
    _optimise(module, machine, 3)
    return machine.emit_assembly(module)


@pytest.mark.parametrize("mask, wide, fused", [
    ("", "zmm", "vfmadd"), ("-avx512f", "ymm", "vfmadd"), ("-avx512f,-fma", "ymm", ""),
    ("-fma", "ymm", ""), ("-avx", "xmm", "")])
def test_masked_features_are_not_used(monkeypatch, mask, wide, fused):
    pytest.importorskip("llvmlite")
    if wide == "zmm" and "+avx512f" not in host_cpu().features:
        pytest.skip("this CPU has no AVX-512")
    if "+avx2" not in host_cpu().features or "+fma" not in host_cpu().features:
        pytest.skip("this CPU has no AVX2 or no FMA")
    monkeypatch.setenv("HVISA_CPU_FEATURES", mask)
    text = assembly(host_cpu())
    widths = [w for w in ("xmm", "ymm", "zmm") if w in text]
    assert widths[-1] == wide
    assert ("vfmadd" in text) == bool(fused)


def test_fingerprint_depends_on_the_mask_and_not_on_its_order(monkeypatch):
    plain = cpu_fingerprint()
    monkeypatch.setenv("HVISA_CPU_FEATURES", "-fma,-avx512f")
    first = cpu_fingerprint()
    monkeypatch.setenv("HVISA_CPU_FEATURES", "-avx512f, -fma,-fma")
    assert first == cpu_fingerprint() != plain


@pytest.mark.parametrize("mask", ["avx2", "+avx2", "-", "-avx2 -fma", "-a;b"])
def test_malformed_masks_are_refused(monkeypatch, mask):
    monkeypatch.setenv("HVISA_CPU_FEATURES", mask)
    with pytest.raises(HvisaError, match="HVISA_CPU_FEATURES holds") as caught:
        cpu_fingerprint()
    assert caught.value.codes == ["HV1109"]


def test_unknown_feature_is_refused(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setenv("HVISA_CPU_FEATURES", "-avx9000")
    with pytest.raises(HvisaError, match="avx9000"):
        host_cpu()


CPUINFO = "vendor_id\t: V\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: X\nflags\t\t: {}\n\nrest"


def test_fingerprint_tells_cpus_apart(tmp_path):
    def of(text: str, name: str) -> str:
        (tmp_path / name).write_text(text)
        return host._cpuinfo_fingerprint(str(tmp_path / name))
    first = of(CPUINFO.format("sse avx fma"), "a")
    assert first == of(CPUINFO.format("fma avx sse").replace("X", "Y"), "b")
    assert first != of(CPUINFO.format("sse avx"), "c")
    assert first != of(CPUINFO.format("sse avx fma").replace("85", "86"), "d")
    for name, text in (("e", ""), ("f", "processor: 0\n"), ("g", "\n")):
        with pytest.raises(HvisaError, match="does not describe"):
            of(text, name)
    with pytest.raises(HvisaError, match="not known"):
        host._cpuinfo_fingerprint(str(tmp_path / "missing"))


def test_fingerprints_need_no_llvm():
    script = ("import sys\nsys.path.insert(0, '.')\n"
              "from hvisa.translators.llvm.host import cpu_fingerprint, llvm_fingerprint\n"
              "print(cpu_fingerprint(), llvm_fingerprint())\n"
              "assert not {'llvmlite', 'numpy'} & set(sys.modules)")
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60,
                          text=True, capture_output=True)
    assert done.stdout == f"{cpu_fingerprint()} {llvm_fingerprint()}\n"


def test_llvm_fingerprint_names_the_installed_version():
    llvmlite = pytest.importorskip("llvmlite")
    assert llvm_fingerprint().startswith(f"llvmlite {llvmlite.__version__} ")
