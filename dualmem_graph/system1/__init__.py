"""System1: turning what a person says into memory; :mod:`graph` is its table of contents."""
