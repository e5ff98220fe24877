"""Emission: a graph enters, NumPy source that a person can read leaves (``emit_source``)."""

from symdiff.emit.emitted import Emitted, Parameter
from symdiff.emit.printer import load_printer
from symdiff.emit.source import emit_source

__all__ = ["Emitted", "Parameter", "emit_source", "load_printer"]
