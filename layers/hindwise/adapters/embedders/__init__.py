"""Text to vectors, in process or over HTTP, all behind `domain.ports.Embedder`."""
