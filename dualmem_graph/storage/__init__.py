"""Storage: the ledger (SQL, the truth), the index derived from it, and one store over both."""
