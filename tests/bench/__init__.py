"""Figures that need an idle machine; see docs/benchmarks.md."""
