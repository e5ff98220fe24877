"""What users look at: generated code in colour and beside their own, what the compiler did and why,
and the table of derivative rules.

Programs and records enter as plain data (``built``); text, HTML and dicts leave. Pygments, which
colours, is optional: everything is shown without it too.
"""

from symdiff.looking.built import Built, Part
from symdiff.looking.explanation import Explanation
from symdiff.looking.source import Source

__all__ = ["Built", "Explanation", "Part", "Source"]
