"""The start of the helper: the command line, or a process that reads, runs code or searches."""

import sys

from notewell.base.support.program import CODE_RUNNER, FILE_READER, SEARCHER

if __name__ == "__main__":
    if sys.argv[1:] == [FILE_READER]:
        from notewell.vault.readers.child import main
    elif sys.argv[1:] == [CODE_RUNNER]:
        from notewell.base.support.confined_program import main
    elif sys.argv[1:] == [SEARCHER]:
        from notewell.engine.reader_process import main
    else:
        from notewell.doors.cli import main
    main()
