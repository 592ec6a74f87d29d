"""The English grammar of time expressions."""

from dualmem_graph.text.times.english.rules import ENGLISH

__all__ = ["ENGLISH"]
