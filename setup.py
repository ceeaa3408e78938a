"""Build hook for tools that still call ``setup.py``; everything is declared in ``setup.cfg``."""

from setuptools import setup

setup()
