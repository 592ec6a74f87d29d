"""Language models and embedders: the only part of the package that talks to an endpoint."""
