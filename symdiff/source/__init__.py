"""The user's source: where a function's text is, and how to point into it.

A function object enters; a ``FunctionSource`` (its syntax tree inside its own file) leaves, and
``span_of`` turns any node of that tree into a ``SourceSpan`` that errors draw with a caret.
Nothing of the user's is executed, and nothing is written.

>>> from textwrap import dedent
>>> from symdiff.source import find_source, span_of
>>> source = find_source(dedent)
>>> source.qualname, source.tree.args.args[0].arg
('dedent', 'text')
>>> span_of(source.tree, source).text
'def dedent(text):'
"""

from symdiff.source.finding import find_source
from symdiff.source.spans import FunctionNode, FunctionSource, SourceSpan, span_of

__all__ = ["FunctionNode", "FunctionSource", "SourceSpan", "find_source", "span_of"]
