"""The account of a compilation laid out: sections of tables, as text and as HTML.

Plain data enters (``Explanation.data``). Both layouts show the same cells.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A title, what the columns are called, and rows of text."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    none: str = "nothing"


def as_text(data: Data) -> str:
    """The sections with aligned columns."""
    blocks = [f"{data['name']}({data['signature']})"]
    blocks += ["\n".join(_lines(section)) for section in sections(data)]
    return "\n\n".join(blocks)


def _lines(section: Section) -> Iterator[str]:
    yield section.title
    if not section.rows:
        yield f"  {section.none}"
        return
    table = [section.heads, *section.rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()


def as_html(data: Data) -> str:
    """The sections as tables that open and close."""
    title = html.escape(f"{data['name']}({data['signature']})")
    return f"<div><code>{title}</code>{''.join(map(_details, sections(data)))}</div>"


def _details(section: Section) -> str:
    inner = _table(section) if section.rows else f"<p>{html.escape(section.none)}</p>"
    summary = f"<summary>{html.escape(section.title)}</summary>"
    return f'<details open style="margin: .6em 0">{summary}{inner}</details>'


def _table(section: Section) -> str:
    cell = 'style="text-align: left; padding: 0 1em 0 0; font-family: monospace"'
    heads = "".join(f"<th {cell}>{html.escape(head)}</th>" for head in section.heads)
    rows = "".join(
        f"<tr>{''.join(f'<td {cell}>{html.escape(text)}</td>' for text in row)}</tr>"
        for row in section.rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


# The sections -------------------------------------------------------------------------------------


def sections(data: Data) -> Iterator[Section]:
    """All that is said, in order."""
    for activity in data["activity"]:
        yield _activity(activity)
    yield _saved(data["saved"])
    yield _choices(data["choices"])
    for graph, counts in data["rewrites"].items():
        rows = [(name, str(times)) for name, times in counts.items()]
        yield Section(f"rewrites of {graph}", ("rewrite", "times"), rows)
    if data["simplified"]:
        yield _simplified(data["simplified"])
    if data["looped"]:
        yield _looped(data["looped"])
    if data["refused"]:
        yield _refused(data["refused"])
    yield _costs(data)


def _looped(data: list[Data]) -> Section:
    rows = [(_line(one["line"]), one["what"]) for one in data]
    return Section("what runs once a lane, in a loop over the batch", ("line", "what"), rows)


def _refused(data: list[Data]) -> Section:
    rows = [(one["at"], one["what"]) for one in data]
    title = "paths that are not compiled, and raise where they are taken"
    return Section(title, ("at", "why"), rows)


def _activity(data: Data) -> Section:
    by = ", ".join(str(name) for name in data["by"]) or "nothing"
    rows = [
        (
            _named(value),
            _line(value["line"]),
            value["type"],
            "yes" if value["active"] else "no",
            value["why"],
        )
        for value in data["values"]
    ]
    title = f"active in {data['graph']}, differentiated by {by} ({data['mode']} mode)"
    return Section(title, ("value", "line", "type", "active", "because"), rows)


def _saved(saved: list[Data]) -> Section:
    rows = [
        (
            _named(value),
            _line(value["line"]),
            value["type"],
            "one a turn" if value["each_turn"] else "once",
            _count(value["bytes"]),
            ", ".join(map(str, value["read_by"])),
        )
        for value in saved
    ]
    heads = ("value", "line", "type", "kept", "bytes", "for the derivative of line")
    return Section("what the derivative reads of the function", heads, rows)


def _choices(choices: list[Data]) -> Section:
    rows = [
        (
            _named(value),
            _line(value["line"]),
            _region(value),
            value["how"],
            str(value["price_of_saving"]),
            "never" if value["price_of_computing"] is None else str(value["price_of_computing"]),
            value["why"],
        )
        for value in choices
    ]
    heads = ("value", "line", "in", "is", "to save", "to compute", "because")
    title = "saved or computed again (prices in about ns)"
    return Section(title, heads, rows, "no choice: all that is needed is at hand")


_REGIONS = {"loop": "loop", "cond": "branch", "whole": "the function"}


def _region(value: Data) -> str:
    kind = _REGIONS[value["region"]]
    return f"{kind}, line {value['region_line']}" if value["region_line"] else kind


def _simplified(islands: list[Data]) -> Section:
    keys = list(dict.fromkeys(key for island in islands for key in island))
    rows = [tuple(str(island.get(key, "")) for key in keys) for island in islands]
    return Section("simplified by SymPy", tuple(keys), rows)


def _costs(data: Data) -> Section:
    many = len({line["file"] for line in data["lines"]}) > 1
    rows = [
        (
            f"{os.path.basename(line['file'])}:{line['line']}" if many else str(line["line"]),
            line["source"],
            *_cost(line),
        )
        for line in data["lines"]
    ]
    rows.append(("", "in all", *_cost(data["total"])))
    heads = ("line", "source", "operations", "bytes", "of its derivative", "bytes")
    return Section("operations and bytes by line", heads, rows)


def _cost(line: Data) -> tuple[str, ...]:
    parts: Sequence[Data] = (line["primal"], line["derivative"])
    return tuple(_count(part[what]) for part in parts for what in ("operations", "bytes"))


def _count(counted: Data) -> str:
    """A number where it is known, else a formula."""
    value = counted["value"]
    return counted["formula"] if value is None else f"{value:,}"


def _named(value: Data) -> str:
    return str(value["name"] or value["expression"] or value["op"] or "?")


def _line(number: int | None) -> str:
    return "" if number is None else str(number)
