"""Small tools that every room may use: files, threads, logs and times."""
