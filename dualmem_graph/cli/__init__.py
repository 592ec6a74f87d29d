"""The command line ``dual-mem``: thin, no logic; every command is one call of the client.

Exit codes: 0 done, 1 failed, 2 wrong usage. Results go to stdout, everything else to stderr.
"""

from dualmem_graph.cli.app import app, main

__all__ = ["app", "main"]
