"""All figures, in the order of a run."""

import importlib

from figure import Figure

MODULES = ("network", "papers", "locks", "node", "ga")

FIGURES: list[Figure] = [figure for name in MODULES for figure in importlib.import_module(f"figures_{name}").FIGURES]
