"""The Chinese grammar of time expressions."""

from dualmem_graph.text.times.chinese.rules import CHINESE

__all__ = ["CHINESE"]
