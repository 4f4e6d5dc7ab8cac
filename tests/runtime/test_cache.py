"""The translation cache: hits, defects, bounds, trust, and many processes at once."""

import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hvisa.runtime import cache as cache_module
from hvisa.runtime.cache import Cache, default_directory, key

ROOT = Path(__file__).resolve().parents[2]
K1, K2 = key({"a": "1"}), key({"a": "2"})


def file_of(cache: Cache, k: str) -> Path:
    assert cache.directory
    return cache.directory / k[:2] / k


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of its own that runs `script` with the arguments in sys.argv."""
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], cwd=ROOT,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err == ""
    return out


def test_key_depends_on_names_and_values_but_not_on_order():
    assert key({"a": "1", "b": "2"}) == key({"b": "2", "a": "1"})
    keys = {key(p) for p in ({}, {"a": ""}, {"": "a"}, {"a": "1"}, {"a": "11"}, {"a1": "1"},
                             {"a": "1", "b": ""}, {"a": "1b"}, {"a": "\udc80"})}
    assert len(keys) == 9
    assert all(len(k) == 64 for k in keys)


def test_put_then_get_in_another_cache_object(tmp_path):
    first = Cache(tmp_path / "c")
    assert first.get(K1) is None
    first.put(K1, b"payload")
    first.put(K2, b"")
    second = Cache(tmp_path / "c")
    assert second.get(K1) == b"payload"
    assert second.get(K2) == b""
    first.put(K1, b"other")
    assert second.get(K1) == b"other"
    assert (first.stats.misses, first.stats.puts, second.stats.hits) == (1, 3, 3)
    assert [(e.key, e.size_bytes) for e in second.entries()] == sorted([(K1, 5), (K2, 0)])
    assert second.clear() == 2
    assert first.get(K1) is None
    assert first.entries() == []


def test_only_keys_are_taken(tmp_path):
    for wrong in ("", "../../etc/passwd", K1.upper(), K1[:-1]):
        with pytest.raises(ValueError, match="not a cache key"):
            Cache(tmp_path).get(wrong)


def test_directory_is_private(tmp_path):
    cache = Cache(tmp_path / "deep" / "c")
    cache.put(K1, b"x")
    assert (tmp_path / "deep" / "c").stat().st_mode & 0o777 == 0o700
    assert file_of(cache, K1).stat().st_mode & 0o777 == 0o600


def test_every_truncation_and_every_flipped_byte_is_a_miss(tmp_path):
    cache = Cache(tmp_path)
    cache.put(K1, b"some payload")
    path = file_of(cache, K1)
    good = path.read_bytes()
    broken = [good[:n] for n in range(len(good))] + [good + b"\0"]
    broken += [good[:n] + bytes((good[n] ^ 1 << n % 8,)) + good[n + 1:] for n in range(len(good))]
    for bad in broken:
        path.write_bytes(bad)
        assert cache.get(K1) is None
        assert not path.exists()
    assert cache.stats.defects == len(broken)
    cache.put(K1, b"some payload")
    assert cache.get(K1) == b"some payload"


def test_entry_under_a_wrong_name_is_a_miss(tmp_path):
    cache = Cache(tmp_path)
    cache.put(K1, b"one")
    file_of(cache, K2).parent.mkdir(exist_ok=True)
    file_of(cache, K1).rename(file_of(cache, K2))
    assert cache.get(K2) is None


def test_other_things_in_the_place_of_an_entry_are_misses(tmp_path):
    cache = Cache(tmp_path)
    cache.put(K1, b"one")
    path = file_of(cache, K1)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.get(K1) is None
    path.unlink()
    os.mkfifo(path)
    assert cache.get(K1) is None
    path.mkdir()
    assert cache.get(K1) is None
    cache.put(K1, b"two")  # can't be stored: a folder is in its place
    assert cache.get(K1) is None


def test_default_directory_follows_the_environment(monkeypatch):
    for name in ("HVISA_CACHE", "HVISA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/someone")
    assert default_directory() == Path("/home/someone/.cache/hvisa")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_directory() == Path("/home/someone/.cache/hvisa")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert default_directory() == Path("/xdg/hvisa")
    monkeypatch.setenv("HVISA_CACHE_DIR", "/own")
    assert default_directory() == Path("/own")
    monkeypatch.setenv("HVISA_CACHE", "off")
    assert default_directory() is None


def test_switched_off_cache_stores_nothing_and_says_nothing(monkeypatch, caplog):
    monkeypatch.setenv("HVISA_CACHE", "off")
    cache = Cache()
    cache.put(K1, b"x")
    assert cache.get(K1) is None
    assert (cache.entries(), cache.clear(), caplog.records) == ([], 0, [])


def test_missing_home_is_warned_of(monkeypatch, caplog):
    for name in ("HVISA_CACHE", "HVISA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "nowhere")
    assert Cache().get(K1) is None
    assert "no home directory" in caplog.text


def test_unusable_directory_is_warned_of_once(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "c", Path("/proc/hvisa")):
        caplog.clear()
        cache = Cache(place)
        for k in (K1, K2):
            cache.put(k, b"x")
            assert cache.get(k) is None
        assert len(caplog.records) == 1, caplog.text
        assert caplog.records[0].name == "hvisa.cache"
        assert caplog.records[0].levelno == logging.WARNING


READ_ONLY = """
import logging
import os, sys
from pathlib import Path
sys.path.insert(0, os.getcwd())
from hvisa.runtime.cache import Cache, key
if os.geteuid() == 0:
    os.setuid(65534)
cache = Cache(Path(sys.argv[1]))
assert cache.get(key({"a": "1"})) == b"shared", cache.stats
cache.put(key({"a": "2"}), b"x")
cache.put(key({"a": "3"}), b"x")
assert cache.get(key({"a": "2"})) is None
"""


@pytest.mark.skipif(os.name != "posix", reason="access rights of POSIX")
def test_read_only_directory_still_serves(tmp_path):
    """Run as another user where we are root (who may write everywhere)."""
    cache = Cache(tmp_path / "c")
    cache.put(K1, b"shared")
    file_of(cache, K1).chmod(0o444)
    file_of(cache, K1).parent.chmod(0o555)
    (tmp_path / "c").chmod(0o555)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    process = start(READ_ONLY, tmp_path / "c")
    _, err = process.communicate(timeout=60)
    (tmp_path / "c").chmod(0o755)
    file_of(cache, K1).parent.chmod(0o755)
    assert process.returncode == 0, err
    assert err.count("not cached") == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to chown")
def test_directory_or_entry_of_another_user_is_refused(tmp_path, caplog):
    cache = Cache(tmp_path / "c")
    cache.put(K1, b"theirs")
    os.chown(tmp_path / "c", 12345, -1)
    strict = Cache(tmp_path / "c")
    assert strict.get(K1) is None
    strict.put(K2, b"x")
    assert caplog.text.count("another user") == 1
    os.chown(tmp_path / "c", 0, -1)
    os.chown(file_of(cache, K1), 12345, -1)
    assert Cache(tmp_path / "c").get(K1) is None


def test_directory_that_all_can_write_is_refused(tmp_path, caplog):
    Cache(tmp_path).put(K1, b"x")
    tmp_path.chmod(0o777)
    assert Cache(tmp_path).get(K1) is None
    assert "every user can write" in caplog.text


def test_least_recently_used_go_first(tmp_path):
    cache = Cache(tmp_path, limit_bytes=10_000)
    keys = [key({"n": str(n)}) for n in range(12)]
    now = time.time()
    for age, k in enumerate(keys):
        cache.put(k, bytes(1000))
        os.utime(file_of(cache, k), (now - 7200 - age, now - 7200 - age))
    assert cache.get(keys[-1])  # the oldest: being read makes it the youngest
    cache.prune()
    left = {e.key for e in cache.entries()}
    assert left == {*keys[:6], keys[-1]}
    assert cache.stats.pruned == 5
    cache.prune()
    assert len(cache.entries()) == 7


def test_reading_touches_at_most_once_an_hour(tmp_path):
    cache = Cache(tmp_path)
    cache.put(K1, b"x")
    recent = time.time() - 1800
    os.utime(file_of(cache, K1), (recent, recent))
    cache.get(K1)
    assert abs(file_of(cache, K1).stat().st_mtime - recent) < 1


def test_puts_prune_now_and_then_and_remove_stale_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "PUTS_PER_PRUNE", 8)
    cache = Cache(tmp_path, limit_bytes=20_000)
    (tmp_path / "00").mkdir()
    stale, fresh = tmp_path / "00" / ".a.tmp", tmp_path / "00" / ".b.tmp"
    stale.write_text("")
    fresh.write_text("")
    os.utime(stale, (1, 1))
    for n in range(200):
        cache.put(key({"n": str(n)}), bytes(1000))
    assert sum(e.size_bytes for e in cache.entries()) < 60_000
    assert cache.stats.pruned > 100
    assert (stale.exists(), fresh.exists()) == (False, True)


def test_removed_directory_is_made_again(tmp_path):
    import shutil
    cache = Cache(tmp_path / "c")
    cache.put(K1, b"x")
    shutil.rmtree(tmp_path / "c")
    assert cache.get(K1) is None
    assert cache.entries() == []
    cache.put(K1, b"y")
    assert cache.get(K1) == b"y"


CROWD = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, os.getcwd())
from hvisa.runtime.cache import Cache, key
cache = Cache(Path(sys.argv[1]))
while time.time() < float(sys.argv[3]):
    pass
for n in range(60):
    for who in ("shared", sys.argv[2]):
        k = key({"who": who, "n": str(n)})
        payload = k.encode() * 50
        found = cache.get(k)
        assert found in (None, payload)
        if found is None:
            cache.put(k, payload)
        assert cache.get(k) == payload
assert cache.stats.defects == 0
"""


def test_eight_processes_start_on_an_empty_cache(tmp_path):
    begin = time.time() + 0.7
    for process in [start(CROWD, tmp_path / "c", n, begin) for n in range(8)]:
        finish(process)
    cache = Cache(tmp_path / "c")
    assert len(cache.entries()) == 9 * 60
    assert not list((tmp_path / "c").rglob("*.tmp"))


WRITE_FOR_EVER = """
import os, sys
from pathlib import Path
sys.path.insert(0, os.getcwd())
from hvisa.runtime.cache import Cache, key
cache = Cache(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    for n in range(4):
        k = key({"n": str(n)})
        cache.put(k, k.encode() * 5000)
"""


def test_killed_writers_leave_whole_entries_or_none(tmp_path):
    rng = random.Random(7)
    for _ in range(6):
        process = start(WRITE_FOR_EVER, tmp_path / "c")
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.001, 0.03))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        cache = Cache(tmp_path / "c")
        for n in range(4):
            k = key({"n": str(n)})
            assert cache.get(k) in (None, k.encode() * 5000)
        assert cache.stats.defects == 0


CLEAR_FOR_EVER = """
import os, sys
from pathlib import Path
sys.path.insert(0, os.getcwd())
from hvisa.runtime.cache import Cache
cache = Cache(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    cache.clear()
"""


def test_one_process_clears_while_another_reads(tmp_path):
    cache = Cache(tmp_path / "c")
    process = start(CLEAR_FOR_EVER, tmp_path / "c")
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        for n in range(400):
            k = key({"n": str(n % 10)})
            assert cache.get(k) in (None, k.encode() * 30)
            cache.put(k, k.encode() * 30)
    finally:
        process.kill()
        _, err = process.communicate(timeout=60)
    assert err == ""
    assert cache.stats.puts == 400
    assert cache.stats.defects == 0
