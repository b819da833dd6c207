"""Measures search quality on judged queries, with the metrics of trec_eval.

`run_corpus`, `run_vault` and `run_golden` return an `EvalReport`; `report_json` encodes it.
"""

from notewell.evaluate.golden import golden_set, read_golden, run_golden, write_golden
from notewell.evaluate.peers import PeerKind, find_peers
from notewell.evaluate.queries import Against
from notewell.evaluate.report import EvalReport, System, report_json
from notewell.evaluate.run import (
    ABLATIONS,
    SYSTEMS,
    eval_settings,
    run_corpus,
    run_vault,
    systems_of,
)

__all__ = [
    "ABLATIONS",
    "SYSTEMS",
    "Against",
    "EvalReport",
    "PeerKind",
    "System",
    "eval_settings",
    "find_peers",
    "golden_set",
    "read_golden",
    "report_json",
    "run_corpus",
    "run_golden",
    "run_vault",
    "systems_of",
    "write_golden",
]
