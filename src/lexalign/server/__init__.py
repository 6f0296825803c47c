"""Translation over HTTP: an API of its own, fronts that other services' clients know, and a page."""
