"""One verb a module; each decides something and calls ports only."""
