"""The start of the helper: the command line, or the process that reads files for it."""

import sys

from notewell.support.program import FILE_READER

if __name__ == "__main__":
    if sys.argv[1:] == [FILE_READER]:
        from notewell.vault.readers.child import main
    else:
        from notewell.cli import main
    main()
