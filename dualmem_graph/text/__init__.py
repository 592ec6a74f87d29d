"""Text as the rest of the package needs it: language, terms, pieces, dates, safety.

Pure functions over strings. Nothing here knows of storage, models or scopes.
"""
