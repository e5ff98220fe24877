"""A function without source and without a rule, which gives a float: C's ``lgamma``."""

from __future__ import annotations

import ctypes

lgamma = ctypes.CDLL(None).lgamma
lgamma.argtypes, lgamma.restype = [ctypes.c_double], ctypes.c_double
