"""The papers' protocols and tables: run from a checkout as ``python -m papers NAME``."""
