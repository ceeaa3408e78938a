"""The tables and figures of SISC-ML."""
