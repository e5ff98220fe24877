"""What holds for every test: where it may not look, and that emitted primals are verified."""

import os

# Every program that a test differentiates runs beside the user's own function, bits compared.
os.environ.setdefault("SYMDIFF_VERIFY", "1")

# Emitted source kept for comparison, and programs that measure time, are not modules of tests.
collect_ignore = ["golden", "benchmarks"]
