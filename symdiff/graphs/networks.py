"""A computation graph as one of NetworkX, for its algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx

    from symdiff.graphs.view import ComputationGraph


def network_of(graph: ComputationGraph) -> networkx.MultiDiGraph:
    """All nodes, by ``id``, with plain attributes; an edge for each use of a node.

    :raises ModuleNotFoundError: where NetworkX is not installed.
    """
    network = _networkx().MultiDiGraph(name=graph.name)
    roots = set(graph.roots)
    for node in graph:
        network.add_node(
            node.id,
            label=node.label,
            name=node.name or "",
            op=node.op or "",
            expression=node.expression,
            type=node.type_text,
            line=node.line or 0,
            requires_grad=node.requires_grad,
            is_leaf=node.is_leaf,
            is_root=node in roots,
        )
    for node in graph:
        for source in graph.places.sources(node.value):
            if graph.has(source.value):
                network.add_edge(graph.node(source.value).id, node.id, kind=source.kind)
    return network


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ModuleNotFoundError(
            "to_networkx() needs NetworkX: pip install 'symdiff[draw]'", name="networkx"
        ) from error
    return networkx
