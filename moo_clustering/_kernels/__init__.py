"""Compiled kernels; only this package contains jitted functions."""
