"""Glossary file formats: CSV and TSV, TBX, TMX."""
