"""`python -m notewell` is the same as `notewell`."""

from notewell.doors.cli import main

if __name__ == "__main__":
    main()
