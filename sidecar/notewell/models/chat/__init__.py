"""Language models over HTTP: providers, their protocols, keys and lists of models."""
