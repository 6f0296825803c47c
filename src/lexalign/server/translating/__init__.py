"""Requests in words of the domain: which model, which terms, which sentences, and what became of them."""
