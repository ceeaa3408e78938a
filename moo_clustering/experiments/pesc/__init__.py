"""The tables and figures of PESC."""
