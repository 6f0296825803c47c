"""How fast this machine translates: what `lexalign bench` measures."""

from lexalign.benchmark.measuring import BenchmarkOptions, Measurement, measure

__all__ = ["BenchmarkOptions", "Measurement", "measure"]
