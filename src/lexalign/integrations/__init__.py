"""Lexalign behind the interfaces of other libraries; none of them is imported unless it is used."""
