"""The write path as a LangGraph state machine: the table of contents of this folder.

``START → ingest → extract → (ephemeral? → END) → fast_write → reconcile → profile → END``

``reconcile`` and ``profile`` run as a ledger job by default; :data:`reconcile_builder` is that job.
Nodes are sync functions, which LangGraph moves off the event loop, and all of them reach storage
through the store tools.
"""

from __future__ import annotations

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy

from dualmem_graph.system1.extract import extract, extract_by_rules
from dualmem_graph.system1.ingest import ingest
from dualmem_graph.system1.profile import profile
from dualmem_graph.system1.reconcile import reconcile, reconcile_later
from dualmem_graph.system1.state import (
    MemoryContext,
    ReconcileInput,
    System1Input,
    System1Output,
    System1State,
)
from dualmem_graph.system1.write import fast_write

#: The chat client retries what an endpoint refuses; this is for a model object that breaks off.
RETRY = RetryPolicy(max_attempts=2, initial_interval=0.2, retry_on=(ConnectionError, TimeoutError))


def route_reconcile(
    state: System1State, runtime: Runtime[MemoryContext]
) -> Literal["reconcile", "__end__"]:
    """Reconcile now where the caller waits for it; else the ledger's job does."""
    return "reconcile" if runtime.context.reconcile == "sync" else "__end__"


system1_builder = StateGraph(
    System1State,
    context_schema=MemoryContext,
    input_schema=System1Input,
    output_schema=System1Output,
)
system1_builder.add_node(ingest)
system1_builder.add_node(extract, retry_policy=RETRY, error_handler=extract_by_rules)
system1_builder.add_node(fast_write)
system1_builder.add_node(reconcile, retry_policy=RETRY, error_handler=reconcile_later)
system1_builder.add_node(profile)
system1_builder.add_edge(START, "ingest")
system1_builder.add_conditional_edges("fast_write", route_reconcile)
system1_builder.add_edge("reconcile", "profile")
system1_builder.add_edge("profile", END)
system1 = system1_builder.compile(name="system1")

reconcile_builder = StateGraph(
    System1State,
    context_schema=MemoryContext,
    input_schema=ReconcileInput,
    output_schema=System1Output,
)
reconcile_builder.add_node(reconcile, retry_policy=RETRY, error_handler=reconcile_later)
reconcile_builder.add_node(profile)
reconcile_builder.add_edge(START, "reconcile")
reconcile_builder.add_edge("reconcile", "profile")
reconcile_builder.add_edge("profile", END)
