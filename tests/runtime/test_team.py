"""Which OpenMP runtime is used, how many threads, and what a fork does to it."""

import os
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

import pytest

from hvisa.diagnostics import HvisaError
from hvisa.runtime import team as team_module
from hvisa.runtime.cores import affinity_cores, quota_cores, usable_threads
from hvisa.runtime.team import Team, process_team

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
x86 = pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64",
                         reason="Linux on x86-64 only")
gomp = pytest.mark.skipif(find_library("gomp") is None, reason="no libgomp on this system")

REGION = """
define void @count(ptr %p) {
  %old = atomicrmw add ptr %p, i64 1 seq_cst
  ret void
}
"""

# What each script below starts with: `run(team)` is how many threads came to one region.
PROLOGUE = """
import ctypes, os, signal, sys, time
sys.path.insert(0, os.getcwd())
from hvisa.runtime.loader import load_object
from hvisa.runtime.team import Team
loaded = load_object(open(sys.argv[1], "rb").read(), "count")
def run(team, threads=2):
    counter = ctypes.c_int64(0)
    region = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
    region(team.parallel_address)(loaded.address("count"), ctypes.addressof(counter), threads, 0)
    return counter.value
def in_fork(body):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        status = 1
        try:
            body()
            status = 0
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.fixture(scope="module")
def region(tmp_path_factory) -> Path:
    pytest.importorskip("llvmlite")
    from hvisa.translators.llvm.build import build_object
    path = tmp_path_factory.mktemp("team") / "count.o"
    path.write_bytes(build_object(REGION, cpu="x86-64", features="", name="count"))
    return path


def execute(script: str, *arguments: object, **environment: str) -> str:
    """Runs a script in a process of its own; what it prints to both outputs."""
    inherited = {k: v for k, v in os.environ.items()
                 if not k.startswith(("OMP_", "GOMP_", "HVISA_"))}
    done = subprocess.run([sys.executable, "-c", PROLOGUE + script, *map(str, arguments)], cwd=ROOT,
                          env=inherited | environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    assert done.returncode == 0, done.stdout
    return done.stdout


@x86
@gomp
def test_region_runs_on_the_threads_asked_for(region):
    execute("team = Team()\n"
            "assert team.name == 'libgomp' and 'of the system' in team.describe()\n"
            "assert [run(team, n) for n in (1, 2, 3)] == [1, 2, 3]", region)


@x86
@gomp
def test_loaded_runtime_is_used_and_nothing_is_opened_before_need(region):
    execute("from pathlib import Path\n"
            "def mapped():\n"
            "    return 'libgomp' in Path('/proc/self/maps').read_text()\n"
            "team = Team()\n"
            "assert not mapped()\n"
            "library = ctypes.CDLL('libgomp.so.1')\n"
            "assert 'already loaded' in team.describe(), team.describe()\n"
            "assert run(team) == 2\n"
            "assert team.parallel_address == Team().parallel_address", region)


@x86
@gomp
def test_fork_after_a_region_takes_the_own_team_in_the_child_only(region):
    execute("team, untouched = Team(), Team()\n"
            "assert run(team) == 2\n"
            "def child():\n"
            "    for t in (team, untouched, Team()):\n"
            "        assert t.name == 'own' and [run(t, n) for n in (1, 2, 5)] == [1, 2, 5]\n"
            "        assert 'forked process' in t.describe()\n"
            "    in_fork(child_of_child)\n"
            "def child_of_child():\n"
            "    assert team.name == 'own' and run(team) == 2\n"
            "in_fork(child)\n"
            "assert run(team) == 2 and run(untouched) == 2", region)


@x86
@gomp
def test_runtime_first_opened_in_the_child_is_used_there(region):
    execute("team = Team()\n"
            "def child():\n"
            "    assert run(team) == 2 and run(Team()) == 2\n"
            "    in_fork(grandchild)\n"
            "def grandchild():\n"
            "    assert team.name == 'own' == Team().name and run(team, 3) == 3\n"
            "in_fork(child)\n"
            "in_fork(child)\n"
            "assert run(team) == 2", region)


@x86
@gomp
@pytest.mark.parametrize("user, shown", [
    ({}, "GOMP_SPINCOUNT = '20000'"),
    ({"GOMP_SPINCOUNT": "77"}, "GOMP_SPINCOUNT = '77'"),
    ({"OMP_WAIT_POLICY": "passive"}, "OMP_WAIT_POLICY = 'PASSIVE'")])
def test_spinning_is_set_only_if_the_user_did_not(region, user, shown):
    out = execute("before = dict(os.environ)\n"
                  "Team().name\n"
                  "assert dict(os.environ) == before", region, OMP_DISPLAY_ENV="verbose", **user)
    assert shown in out
    assert ("'20000'" in out) == (not user)


@x86
def test_affinity_of_one_core_gives_one_thread(region):
    execute("os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
            "assert Team().threads == 1", region)


@x86
def test_own_team_stands_in_for_a_missing_runtime(region):
    execute("import hvisa.runtime.team as module\n"
            "module._mapped_files = lambda: ''\n"
            "module._open = lambda *_, **__: None\n"
            "team = Team()\n"
            "assert team.name == 'own' and 'no OpenMP runtime was found' in team.describe()\n"
            "assert [run(team, n) for n in (1, 2, 3, 40)] == [1, 2, 3, 40]", region)


@linux
def test_without_threads_of_any_kind_the_team_is_serial(monkeypatch):
    monkeypatch.setattr("hvisa.runtime.own_team.own_parallel", lambda: 0)
    monkeypatch.setattr(team_module, "_mapped_files", lambda: "")
    monkeypatch.setattr(team_module, "_open", lambda *_, **__: None)
    team = Team()
    assert (team.name, team.parallel_address) == ("serial", 0)
    assert "no OpenMP runtime was found" in team.describe()


def test_loaded_runtimes_are_recognised_by_file_name():
    def line(path: str) -> str:
        return f"7f0000000000-7f0000001000 r-xp 00000000 08:01 1234      {path}\n"
    maps = "".join(line(path) for path in (
        "/usr/lib/libomp.so.5", "/opt/my dir/libiomp5.so", "/usr/lib/libc.so.6", "[heap]", "",
        "/torch/lib/libgomp-a34b3233.so.1", "/usr/lib/libgomp.so.1.0.0", "/x/libgomp.so.1.0.0",
        "/usr/lib/libgomp.so.1.0.0", "/x/libompd.so", "/x/libiomp5_db.so", "/x/libiompstubs5.so",
        "/x/notlibgomp.so", "/x/libgomp-plugin-nvptx.so.1"))
    assert team_module._loaded_runtimes(maps)[:3] == [
        ("libgomp", "/torch/lib/libgomp-a34b3233.so.1"), ("libgomp", "/usr/lib/libgomp.so.1.0.0"),
        ("libgomp", "/x/libgomp.so.1.0.0")]
    assert team_module._loaded_runtimes(maps)[-2:] == [
        ("libiomp5", "/opt/my dir/libiomp5.so"), ("libomp", "/usr/lib/libomp.so.5")]
    assert team_module._loaded_runtimes("") == []


def test_one_team_a_process():
    assert process_team() is process_team()
    assert Team(threads=3).threads == 3


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Makes a file tree that stands for /proc and /sys."""
    monkeypatch.delenv("HVISA_THREADS", raising=False)

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path
    return write


V1 = "sys/fs/cgroup/cpu,cpuacct"


@pytest.mark.parametrize("files, quota", [
    ({}, None),
    ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
    ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
    ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "30000 100000\n",
      "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, 0.3),
    ({"proc/self/cgroup": "0::/host/path\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
    ({"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
    ({"proc/self/cgroup": "4:cpu,cpuacct:/g\n1:name=systemd:/\n",
      f"{V1}/g/cpu.cfs_quota_us": "50000\n", f"{V1}/g/cpu.cfs_period_us": "100000\n"}, 0.5),
    ({"proc/self/cgroup": "4:cpu,cpuacct:/g\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, None),
    ({"proc/self/cgroup": "2:cpu:/g\n0::/u\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/unified/u/cpu.max": "250000 100000"}, 2.5),
    ({"proc/self/cgroup": "0::/\nnonsense\n", "sys/fs/cgroup/cpu.max": "12 0\n"}, None),
    ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": ""}, None),
])
def test_quota_of_control_groups(system, files, quota):
    root = system(files)
    assert quota_cores(root) == quota
    expected = affinity_cores() if quota is None else min(affinity_cores(), -int(-quota // 1))
    assert usable_threads(root) == max(1, expected)


def test_quota_is_rounded_up_and_the_least_is_one(system, monkeypatch):
    monkeypatch.setattr("hvisa.runtime.cores.affinity_cores", lambda: 8)
    for quota, threads in (("1", 1), ("100000", 1), ("100001", 2), ("640000", 7), ("9000000", 8)):
        root = system({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": f"{quota} 100000\n"})
        assert usable_threads(root) == threads


def test_environment_overrides_the_count(monkeypatch):
    monkeypatch.setenv("HVISA_THREADS", " 7 ")
    assert Team().threads == 7
    for wrong in ("0", "-1", "many", "1.5", "99999", "²"):
        monkeypatch.setenv("HVISA_THREADS", wrong)
        with pytest.raises(HvisaError, match="HVISA_THREADS") as caught:
            Team()
        assert caught.value.codes == ["HV1109"]
