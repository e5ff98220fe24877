"""A run of a function and its reverse sweep, looked at: values and cotangents by the user's names.

The work is done at compile time: marked names (``parse.marking``) become nodes that keep values and
cotangents (``ops.recording``), so a trace is a compiled program like any other.
"""

from symdiff.tracing.accumulation import accumulate
from symdiff.tracing.trace import Occurrence, Trace, Traced

__all__ = ["Occurrence", "Trace", "Traced", "accumulate"]
