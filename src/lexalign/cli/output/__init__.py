"""What commands write: lines, pages, progress bars."""
