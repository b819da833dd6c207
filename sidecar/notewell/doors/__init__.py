"""How requests come in and replies go out: command line, HTTP and assistants."""
