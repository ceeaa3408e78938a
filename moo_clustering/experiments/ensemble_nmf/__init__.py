"""The table of ensemble NMF."""
