"""Nets as graphs of networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gambol._gambol import Net

__all__ = ["to_networkx"]


def to_networkx(net: Net) -> Any:
    """A directed graph: gates by number with `kind` and `name`, edges from inputs to readers.

    Where a gate is the next value of a fluent, the edge to that fluent has `transition` set.
    """
    import networkx

    graph = networkx.DiGraph()
    fluents = []
    for number, (kind, name, inputs) in enumerate(net.gates()):
        graph.add_node(number, kind=kind, name=name)
        graph.add_edges_from((gate, number) for gate in inputs)
        if kind == "fluent":
            fluents.append(number)
    graph.add_edges_from(zip(net.transitions(), fluents), transition=True)
    return graph
