"""The command line, which wires everything."""

import os

# Before numpy is imported, which reads it once. Our matrices are small: shared between threads that
# wait for each other, a product of a tenth of a millisecond takes ten on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from notewell.doors.cli.app import main

__all__ = ["main"]
