"""The mathematics of version 1, in Python of the front end: functions of f32 and f64.

Rules of this folder. A public function is named `exp_f32`, `exp_f64`; f32 functions use no f64. Main
paths have no branches: `select`, or a conditional expression that is computed on both sides, so that they
vectorise across instances. Polynomials are in `*_coefficients.py`, made by `tools/minimax.py`. They are
evaluated with `fma` (docs/decisions/0006-mathematics.md). Methods are cited by paper and section.
"""
