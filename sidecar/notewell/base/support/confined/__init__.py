"""The process that runs small programs of a language model, which the system confines."""
