"""`python -m recollect` is the same as `recollect`."""

from recollect.cli import main

if __name__ == "__main__":
    main()
