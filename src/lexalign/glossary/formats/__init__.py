"""Glossary files: one file of code for each format."""
