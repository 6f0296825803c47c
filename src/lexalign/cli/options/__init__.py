"""Options that several commands share, and the code that reads them."""
