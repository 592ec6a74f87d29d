"""The main job shown on a conversation: say it, keep it, find it again.

``chats`` reads a conversation in any usual form, ``run`` remembers it and asks, ``questions``
finds what to ask of a chat that brings no questions, ``render`` draws the report.
"""

from dualmem_graph.demo.run import run_demo

__all__ = ["run_demo"]
