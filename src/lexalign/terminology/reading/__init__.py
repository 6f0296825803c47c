"""Bilingual files, read unit by unit: TMX, XLIFF, PO, two columns, two files."""

from lexalign.terminology.reading.files import BilingualFile, list_inputs, read_units
from lexalign.terminology.reading.languages import Languages

__all__ = ["BilingualFile", "Languages", "list_inputs", "read_units"]
