"""Compiled inner loops; nothing outside this room holds a jitted function."""
