"""The rules form of System1's model steps: what is remembered when no model is configured.

Grammar by regular expressions, Chinese and English, precision first. The language modules share
one interface (:mod:`.findings`) and one set of dimensions (:mod:`.dimensions`).
"""

from dualmem_graph.system1.rules.extraction import (
    asks_to_forget,
    asks_to_remember,
    extract,
    is_small_talk,
    read_statement,
)

__all__ = ["asks_to_forget", "asks_to_remember", "extract", "is_small_talk", "read_statement"]
