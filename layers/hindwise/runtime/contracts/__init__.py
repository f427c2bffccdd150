"""What goes over the wire: request bodies into domain models, domain models into answers."""
