"""The one table of tools: what each surface offers, under which name, method and path.

Arguments, defaults and descriptions are read off the operation itself
(:class:`~dualmem_graph.operations.MemoryOperations`), so that no surface can say otherwise.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from dualmem_graph.operations import MemoryOperations


@dataclass(frozen=True, slots=True)
class ToolContract:
    """One tool: its name on every surface and the operation behind it.

    Attributes:
        name: the tool's name, ``memory_…``.
        operation: the method of :class:`MemoryOperations` that does it.
        method: HTTP method.
        path: HTTP path; what stands in braces is an argument.
        read_only: it changes nothing.
        destructive: it hides or removes something.
    """

    name: str
    operation: str
    method: str
    path: str
    read_only: bool = False
    destructive: bool = False
    #: Arguments that are narrower here than in the operation: no surface may name a server's file.
    narrowed: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The operation, unbound."""
        found: Callable[..., Any] = getattr(MemoryOperations, self.operation)
        return found

    @property
    def description(self) -> str:
        """The first line of the operation's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n", 1)[0]

    @property
    def input_model(self) -> type[BaseModel]:
        """The arguments as a pydantic model; unknown ones are refused.

        >>> TOOLS["memory_get"].input_model.model_fields["memory_id"].is_required()
        True
        """
        return _input_model(self)


MEMORY_TOOL_CONTRACTS: tuple[ToolContract, ...] = (
    ToolContract("memory_add", "add", "POST", "/v1/memories/"),
    ToolContract("memory_search", "search", "POST", "/v1/memories/search", read_only=True),
    ToolContract("memory_context", "context", "POST", "/v1/memories/context", read_only=True),
    ToolContract("memory_list", "list", "GET", "/v1/memories/", read_only=True),
    ToolContract("memory_get", "get", "GET", "/v1/memories/{memory_id}", read_only=True),
    ToolContract("memory_update", "update", "PUT", "/v1/memories/{memory_id}"),
    ToolContract("memory_delete", "delete", "DELETE", "/v1/memories/{memory_id}", destructive=True),
    ToolContract("memory_restore", "restore", "POST", "/v1/memories/{memory_id}/restore"),
    ToolContract("memory_purge", "purge", "POST", "/v1/purge/", destructive=True),
    ToolContract("memory_compact", "compact", "POST", "/v1/compact/"),
    ToolContract("memory_history", "history", "GET", "/v1/history/", read_only=True),
    ToolContract("memory_profile", "profile", "GET", "/v1/profile/", read_only=True),
    ToolContract(
        "memory_delete_scope", "delete_scope", "DELETE", "/v1/memories/", destructive=True
    ),
    ToolContract("memory_list_scopes", "list_scopes", "GET", "/v1/scopes/", read_only=True),
    ToolContract(
        "memory_import",
        "import_",
        "POST",
        "/v1/import/",
        narrowed={"nodes": list[dict[str, Any]], "format": Literal["nodes", "mem0", "chat"]},
    ),
    ToolContract("memory_flush", "flush", "POST", "/v1/flush/"),
    ToolContract("memory_index_check", "index_check", "POST", "/v1/index/check"),
    ToolContract("memory_index_rebuild", "index_rebuild", "POST", "/v1/index/rebuild"),
    ToolContract("memory_jobs", "jobs", "GET", "/v1/jobs/", read_only=True),
    ToolContract("memory_retry_jobs", "retry_jobs", "POST", "/v1/jobs/retry"),
    ToolContract("memory_stats", "stats", "GET", "/v1/stats/", read_only=True),
    ToolContract("memory_status", "status", "GET", "/v1/status/", read_only=True),
)

#: The same by name.
TOOLS = {contract.name: contract for contract in MEMORY_TOOL_CONTRACTS}


@cache
def _input_model(contract: ToolContract) -> type[BaseModel]:
    name, function = contract.name, contract.function
    hints = get_type_hints(function) | dict(contract.narrowed)
    told = _argument_texts(inspect.getdoc(function) or "")
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        description = told.get(parameter.name)
        fields[parameter.name] = (
            hints[parameter.name],
            Field(default, description=description),
        )
    title = "".join(part.title() for part in name.split("_")) + "Input"
    return create_model(title, __config__=ConfigDict(extra="forbid"), **fields)


def _argument_texts(doc: str) -> dict[str, str]:
    """Read the ``Args:`` section of a Google docstring: name → text on one line."""
    section = re.search(r"^Args:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    if section is None:
        return {}
    texts: dict[str, str] = {}
    name = ""
    for line in section.group(1).splitlines():
        head = re.match(r"^    (\w+): (.*)$", line)
        if head:
            name = head.group(1)
            texts[name] = head.group(2).strip()
        elif name and line.strip():
            texts[name] += " " + line.strip()
    return texts
