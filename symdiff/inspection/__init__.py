"""What users look at: generated code in colour and beside their own, what the compiler did and why,
and the table of derivative rules.

Programs and records enter as plain data (``built``); text, HTML and dicts leave. Pygments, which
colours, is optional: everything is shown without it too. What compiling does not need is imported
where it is asked for: ``explanation``, ``ruletable``, ``page``.
"""

from symdiff.inspection.built import Built, Part
from symdiff.inspection.source import Source

__all__ = ["Built", "Part", "Source"]
