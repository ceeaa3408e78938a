"""Compiled inner loops; only this package contains jitted functions."""
