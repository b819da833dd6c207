"""Fit the query table of one vault, to fewer texts than a server does: seconds instead of minutes.

    python tests/e2e/support/query_table.py VAULT

The vault is indexed in the data directory of the environment, and no server has it open.
"""

import os
import sys
from contextlib import closing
from pathlib import Path

from notewell.base.config import load_settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.query_table import service
from notewell.models import onnx_embedder


def main() -> None:
    onnx_embedder._NICENESS = 0  # other tests run beside it, and would keep it waiting for minutes
    service._SPANS, service._INVENTED, service._REPLACED = 3000, 2500, 2500
    with closing(Vaults(load_settings(environ=os.environ), features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(Path(sys.argv[1])), writable=True)
        engine.wait_for_model()
        engine.vault.runs.now("table", "manual", service.TableWork(engine.vault).work)


if __name__ == "__main__":
    main()
