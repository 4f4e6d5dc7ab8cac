"""Options of a load and of a call: what is wrong with one is said before anything happens."""

from __future__ import annotations

import numpy as np
import pytest

import hvisa
from tests.program.programs import SAXPY

EXTERN = """extern func @host(%x: i32) -> (i32)
leaf @f(%x: i32) -> (i32) nondeterministic {
  %y = call @host(%x)
  yield %y
}
"""


@pytest.mark.parametrize("options, code, text", [
    ({"timeout": "3"}, "HV1002", "`timeout` takes a number of seconds above 0, and it is '3'"),
    ({"timeout": -1}, "HV1002", "and it is -1"), ({"timeout": 0}, "HV1002", "and it is 0"),
    ({"timeout": float("nan")}, "HV1002", "nan"), ({"timeout": True}, "HV1002", "True"),
    ({"out": np.zeros(3)}, "HV1002", "`out` takes a mapping, and it is of type ndarray"),
    ({"copy": "no"}, "HV1002", "`copy` takes True or False"), ({"copy": 1}, "HV1002", "it is 1"),
    ({"device": 3}, "HV1002", "`device` takes a name"), ({"device": ""}, "HV1101", "no device"),
    ({"device": "x68"}, "HV1101", "did you mean `x86`?"),
    ({"timout": 3}, "HV1001", "did you mean `timeout`?")])
def test_options_of_a_call(options, code, text):
    entry = hvisa.load(SAXPY).entry()
    y = np.ones(1, np.float32)
    for _ in range(3):
        with pytest.raises(hvisa.HvisaError) as caught:
            entry(2.0, np.ones(1, np.float32), y, **options)
        assert caught.value.codes == [code] and text in str(caught.value)
        assert y.tolist() == [1]


@pytest.mark.parametrize("text, options, code, wanted", [
    (SAXPY, {"device": "multicor"}, "HV1101", "did you mean `multicore`?"),
    (SAXPY, {"device": 3}, "HV1002", "`device` takes a name"),
    (SAXPY, {"externs": [abs]}, "HV1002", "`externs` takes a mapping"),
    (EXTERN, {"externs": {}}, "HV0703", "`@host`"),
    (EXTERN, {"externs": {"hots": abs}}, "HV0703", "`hots` was given"),
    (EXTERN, {"externs": {"host": 3}}, "HV1002", "can't be called")])
def test_options_of_a_load(text, options, code, wanted):
    with pytest.raises(hvisa.HvisaError) as caught:
        hvisa.load(text, **options)
    assert caught.value.codes == [code] and wanted in str(caught.value)


def test_host_may_allow_more_than_a_program_calls():
    hvisa.load(SAXPY, externs={"host": abs})
    hvisa.load(EXTERN, externs={"host": abs, "other": abs})
