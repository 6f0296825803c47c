"""The front of the library; everything here is a name of `lexalign` itself, see `lexalign/__init__.py`."""
