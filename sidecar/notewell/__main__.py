"""`python -m notewell` is the same as `notewell`."""

from notewell.cli import main

if __name__ == "__main__":
    main()
