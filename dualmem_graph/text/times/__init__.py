"""When something was said to happen: instants as callers write them, and time words in text.

``find_times`` reads relative and absolute expressions in Chinese and English with grammars of its
own (``english``, ``chinese``), over one small calendar (``spans``, ``festivals``).
"""

from dualmem_graph.text.times.instants import local_day, parse_instant, zone_of
from dualmem_graph.text.times.search import find_times

__all__ = ["find_times", "local_day", "parse_instant", "zone_of"]
