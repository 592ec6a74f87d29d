"""The rules form of System1's model steps: what is remembered when no model is configured."""
