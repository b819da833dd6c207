"""What importing the package loads: networkx only when it is needed."""

from __future__ import annotations

import subprocess
import sys


def test_networkx_is_loaded_with_the_first_question_about_the_whole_network() -> None:
    program = (
        "import sys, notewell.engine.engine, notewell.features.graph.service\n"
        "print('networkx' in sys.modules)\n"
        "import notewell.features.graph.structure\n"
        "print('networkx' in sys.modules)\n"
    )

    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert result.stdout.split() == ["False", "True"]
