"""Storage: the ledger (SQL, the truth), the vector index derived from it, and one store over both."""
