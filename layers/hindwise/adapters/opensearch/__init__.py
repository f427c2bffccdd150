"""The search index on an OpenSearch node or domain: a projection that can be thrown away."""
