"""What the compiler did for a call and why, as text, HTML and plain data.

>>> import symdiff as sd
>>> import numpy as np
>>> @sd.differentiable
... def loss(w, x):
...     return np.sum(np.tanh(x @ w) ** 2)
>>> explained = loss.grad.explain("float64[d]", "float64[n,d]")
>>> [value["name"] for value in explained.as_dict()["activity"][0]["values"] if value["active"]]
['w']
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symdiff.inspection.built import Built
from symdiff.inspection.costs import Cost, costs_by_line
from symdiff.inspection.refused import refused_paths
from symdiff.inspection.saved import kept_values, source_of
from symdiff.inspection.source import Source
from symdiff.ir.counts import Count
from symdiff.ir.record import Record

Data = dict[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """An account of one compilation. ``str`` of it is text, ``as_dict`` plain data.

    The same function, types and options give the same account.
    """

    data: Data
    source: Source

    @classmethod
    def of(cls, built: Built) -> Explanation:
        """The account of what was built."""
        graphs = [part.graph for part in built.parts]
        saved = kept_values(graphs)
        lines = costs_by_line(graphs)
        totals = {part: _total([getattr(line, part) for line in lines]) for part in _PARTS}
        data = {
            "name": built.name,
            "signature": str(built.signature),
            "activity": built.record.notes("activity"),
            "saved": [
                {
                    **source_of(kept),
                    "each_turn": kept.each_turn,
                    "bytes": _counted(kept.bytes, built.sizes),
                    "read_by": sorted(kept.read_by),
                }
                for kept in saved
            ],
            "choices": built.record.notes("residuals"),
            "rewrites": _rewrites(built.record),
            "simplified": built.record.notes("simplified"),
            "looped": built.record.notes("looped"),
            "refused": refused_paths(graphs),
            "lines": [
                {
                    "file": line.span.file,
                    "line": line.span.line,
                    "source": line.span.text.strip(),
                    **{part: _cost(getattr(line, part), built.sizes) for part in _PARTS},
                }
                for line in lines
            ],
            "total": {part: _cost(totals[part], built.sizes) for part in _PARTS},
        }
        return cls(data, built.source)

    def as_dict(self) -> Data:
        """The account as dicts, lists, texts and numbers; JSON takes it."""
        return copy.deepcopy(self.data)

    def as_json(self) -> str:
        """The account as JSON."""
        return json.dumps(self.data, indent=2)

    def __str__(self) -> str:
        from symdiff.inspection.sections import as_text

        return as_text(self.data)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from symdiff.inspection.sections import as_html

        return as_html(self.data)


_PARTS = ("primal", "derivative")


def _rewrites(record: Record) -> dict[str, dict[str, int]]:
    """How often each rewrite was made, by graph and ``pass.rule``, the most frequent first."""
    found: dict[str, dict[str, int]] = {}
    for (graph, name, rule), times in record.counts.items():
        found.setdefault(graph, {})[f"{name}.{rule}"] = times
    return {
        graph: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        for graph, counts in found.items()
    }


def _total(costs: list[Cost]) -> Cost:
    total = Cost()
    for cost in costs:
        total.add(cost.operations, cost.bytes)
    return total


def _cost(cost: Cost, sizes: Mapping[str, int]) -> Data:
    return {
        "operations": _counted(cost.operations, sizes),
        "bytes": _counted(cost.bytes, sizes),
    }


def _counted(count: Count, sizes: Mapping[str, int]) -> Data:
    """A formula in the sizes, and its value where the example arguments tell them."""
    return {"formula": str(count), "value": count.value(sizes)}
